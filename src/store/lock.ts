import lockfile from 'proper-lockfile';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, ok, type Result } from '../contract/result.ts';

/** A lock that is held. It saves work; what must hold even when it is lost has to be secured by `link`. */
export interface HeldLock {
  /** True once another process may have taken the lock over: it looked stale, or its folder is gone. */
  readonly isCompromised: () => boolean;
}

export interface LockFailure {
  readonly reason: 'state_busy' | 'write_failed';
  readonly file: string;
  readonly detail: string;
}

const staleMs = 5_000;
const updateMs = 1_000;
/** Longer than `staleMs`, so that the lock of a killed process is outlived. */
const patienceMs = 8_000;

/**
 * Runs `work` while holding `<folder>/lock`, which another process gets only afterwards or after this one was
 * killed. `folder` must exist. Gives `state_busy` when the lock is not to be had within 8 seconds, `write_failed`
 * when the folder cannot hold one.
 */
export async function withLock<T>(
  folder: string,
  work: (lock: HeldLock) => Promise<T>,
): Promise<Result<T, LockFailure>> {
  let compromised = false;
  const acquired = await acquire(folder, () => {
    compromised = true;
  });
  if (!acquired.ok) return acquired;
  try {
    return ok(await work({ isCompromised: () => compromised }));
  } finally {
    // A lost lock is not ours to release; the library says so by rejecting.
    await acquired.value().catch(() => undefined);
  }
}

/** The library retries every error alike, so the waiting is done here, and only for a lock that is taken. */
async function acquire(
  folder: string,
  onCompromised: () => void,
): Promise<Result<() => Promise<void>, LockFailure>> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    try {
      return ok(
        await lockfile.lock(folder, {
          stale: staleMs,
          update: updateMs,
          retries: 0,
          realpath: false,
          lockfilePath: `${folder}/lock`,
          onCompromised,
        }),
      );
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const taken = code === 'ELOCKED';
      if (!taken || Date.now() > giveUpAt)
        return fail({
          reason: taken ? 'state_busy' : 'write_failed',
          file: folder,
          detail: code ?? message,
        });
    }
    // Spread out, so that many waiters do not try in step.
    await sleep(10 + Math.random() * 40);
  }
}
