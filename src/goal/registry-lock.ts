import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { lock } from 'proper-lockfile';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import type { RegistryPlace } from './locate-registry.ts';

/** Seconds that a change waits for its turn, as long as LoopX itself waits. */
const PATIENCE_SECONDS = 5;
const CONFLICT = 75;

export type Release = () => Promise<void>;

/**
 * Takes the lock that everybody else who writes this registry takes. LoopX's is a kernel lock on `<registry>.lock`,
 * had through flock(1); the observer's own registry has proper-lockfile, which must never touch a path of LoopX's.
 * Reasons: state_busy, registry_lock_unavailable, write_failed.
 */
export function lockRegistry({ file, owner }: RegistryPlace): Promise<Result<Release, Failure>> {
  return owner === 'loopx' ? holdKernelLock(file) : holdOwnLock(file);
}

async function holdOwnLock(file: string): Promise<Result<Release, Failure>> {
  let compromised = false;
  try {
    const release = await lock(file, {
      realpath: false,
      retries: { retries: PATIENCE_SECONDS * 10, factor: 1, minTimeout: 100, maxTimeout: 100 },
      onCompromised: () => {
        compromised = true;
      },
    });
    return ok(async () => {
      if (!compromised) await release();
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fail(
      code === 'ELOCKED'
        ? { reason: 'state_busy', file }
        : { reason: 'write_failed', file, detail: String(code) },
    );
  }
}

/** The lock lives as long as the child reads: it ends with our end of the pipe, however we end. */
async function holdKernelLock(registry: string): Promise<Result<Release, Failure>> {
  const file = join(dirname(registry), `${basename(registry)}.lock`);
  const made = makeLockFile(file);
  if (made !== null) return fail(made);
  const child = spawn(
    'flock',
    [
      '--exclusive',
      '--timeout',
      String(PATIENCE_SECONDS),
      '--conflict-exit-code',
      String(CONFLICT),
      file,
      'sh',
      '-c',
      'echo held; cat >/dev/null',
    ],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const ended = new Promise<number | 'absent' | null>((resolve) => {
    child.once('error', () => resolve('absent'));
    child.once('close', resolve);
  });
  child.stdin.on('error', () => undefined);
  const held = new Promise<'held'>((resolve) => child.stdout.once('data', () => resolve('held')));
  const first = await Promise.race([held, ended]);
  if (first === 'held')
    return ok(async () => {
      child.stdin.end();
      await ended;
    });
  if (first === CONFLICT) return fail({ reason: 'state_busy', file });
  return fail({
    reason: 'registry_lock_unavailable',
    file: registry,
    detail: first === 'absent' ? 'there is no flock(1)' : `flock(1) ended with ${first}`,
  });
}

/** Makes sure that the lock is a private regular file, as LoopX makes it; a link is not followed. */
function makeLockFile(file: string): Failure | null {
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
    closeSync(openSync(file, flags, 0o600));
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ELOOP'
      ? { reason: 'file_not_regular', file, detail: 'it is a symbolic link' }
      : { reason: 'write_failed', file, detail: String(code) };
  }
}
