import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { readFileClock } from './file-clock.ts';
import { errorCode, nodeIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

const STALE_MS = 15_000;
const UPDATE_MS = 5_000;
const LOOK_EVERY_MS = 500;
/** Filesystems that round times, round by less than this in what proper-lockfile sets. */
const MTIME_TOLERANCE_MS = 10;

/** One drainer at a time. It saves work; correctness never rests on it (design §3), so a stolen lock only stops us. */
export interface DrainLock {
  /** True once another process has taken the lock or removed it; nothing may be published any more. */
  readonly isLost: () => boolean;
  readonly release: () => Promise<void>;
}

export interface Patience {
  /** Milliseconds without a sign of life after which a holder counts as dead. */
  readonly staleMs?: number;
  /** Ends a wait for a lock whose time lies in the future. */
  readonly signal?: AbortSignal;
  /** Called once before such a wait, with its length in milliseconds. */
  readonly onWait?: ((ms: number) => void) | undefined;
}

/** Null: another process holds it. Throws what the filesystem reports. */
export async function acquireDrainLock(
  state: string,
  layout: StateLayout,
  patience: Patience = {},
): Promise<DrainLock | null> {
  const { staleMs = STALE_MS } = patience;
  const lock = await tryLock(state, layout, staleMs);
  if (lock !== null || !isFromFuture(layout, staleMs)) return lock;
  if (!(await showsNoLife(layout, staleMs, patience))) return null;
  fs.rmdirSync(layout.drainLock);
  return tryLock(state, layout, staleMs);
}

async function tryLock(state: string, layout: StateLayout, staleMs: number): Promise<DrainLock | null> {
  let lost = false;
  const times = new TimesSet();
  try {
    const release = await lockfile.lock(state, {
      realpath: false,
      lockfilePath: layout.drainLock,
      stale: staleMs,
      update: Math.min(UPDATE_MS, staleMs / 3),
      retries: 0,
      fs: { ...fs, utimes: times.utimes, rmdir: times.rmdir, rmdirSync: times.rmdirSync },
      onCompromised: () => {
        lost = true;
      },
    });
    return {
      isLost: () => lost || !times.isLast(layout.drainLock),
      release: async () => {
        if (!lost) await release().catch(() => undefined);
      },
    };
  } catch (error) {
    if (errorCode(error) === 'ELOCKED') return null;
    // Whoever is stopped for long while he takes it finds that others have taken it, and given it back, since.
    if (errorCode(error) === 'ENOENT' && fs.existsSync(state)) return null;
    throw error;
  }
}

/**
 * Remembers the times that we gave the lock. proper-lockfile notices a theft at its next update; a look of our own notices
 * it before each publication, also after an evaluation that let no timer run.
 */
class TimesSet {
  private last: number[] = [];

  readonly utimes: typeof fs.utimes = Object.assign(
    (file: fs.PathLike, atime: fs.TimeLike, mtime: fs.TimeLike, done: fs.NoParamCallback): void => {
      // Until the call is through, the time before may still stand.
      this.last = [...this.last.slice(-1), Number(mtime)];
      fs.utimes(file, atime, mtime, done);
    },
    { __promisify__: fs.utimes.__promisify__ },
  );

  /** The library removes the lock at the end, also at that of the process: never one that is another's by now. */
  readonly rmdir = ((file: fs.PathLike, done: fs.NoParamCallback): void => {
    if (this.isOthers(String(file))) done(null);
    else fs.rmdir(file, done);
  }) as typeof fs.rmdir;

  readonly rmdirSync = (file: fs.PathLike): void => {
    if (!this.isOthers(String(file))) fs.rmdirSync(file);
  };

  private isOthers(file: string): boolean {
    return this.last.length > 0 && !this.isLast(file);
  }

  isLast(file: string): boolean {
    const mtime = fs.lstatSync(file, { throwIfNoEntry: false })?.mtimeMs;
    return mtime !== undefined && this.last.some((time) => Math.abs(time - mtime) < MTIME_TOLERANCE_MS);
  }
}

/** A dead holder's lock never grows stale while its time lies ahead: the clock was set back since. */
export function isFromFuture(layout: StateLayout, staleMs = STALE_MS): boolean {
  const mtime = fs.lstatSync(layout.drainLock, { throwIfNoEntry: false })?.mtimeMs;
  return mtime !== undefined && mtime > readFileClock(nodeIo, layout.staging) + staleMs;
}

/** How long the holder of the lock has given no sign of life, by the clock of the files; null: nobody holds it. */
export function lockAge(layout: StateLayout): { readonly ms: number; readonly isStale: boolean } | null {
  const stat = fs.lstatSync(layout.drainLock, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return null;
  const ms = readFileClock(nodeIo, layout.staging) - stat.mtimeMs;
  return { ms, isStale: ms > STALE_MS };
}

/** A live holder renews its lock, whatever its clock says; one that does not for `staleMs` of real time is dead. */
async function showsNoLife(layout: StateLayout, staleMs: number, patience: Patience): Promise<boolean> {
  const { signal, onWait } = patience;
  const mtime = (): number | undefined => fs.lstatSync(layout.drainLock, { throwIfNoEntry: false })?.mtimeMs;
  onWait?.(staleMs);
  const first = mtime();
  const start = performance.now();
  while (performance.now() - start < staleMs) {
    await sleep(LOOK_EVERY_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
    if (signal?.aborted || mtime() !== first) return false;
  }
  return true;
}

/** Whether a drainer is at work now. */
export async function isDrainBusy(state: string, layout: StateLayout): Promise<boolean> {
  return lockfile
    .check(state, { realpath: false, lockfilePath: layout.drainLock, stale: STALE_MS })
    .catch(() => false);
}
