import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import { fail, ok, type Result } from '../contract/result.ts';

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
 * Runs `work` while holding `<folder>/lock`, which another process gets only afterwards, or once this one was killed
 * or slept for seconds. So it saves work; what must hold even then has to be secured by `link`. `folder` must exist.
 * Gives `state_busy` when the lock is not to be had within 8 seconds, `write_failed` when the folder cannot hold one.
 */
export async function withLock<T>(
  folder: string,
  work: () => T | Promise<T>,
): Promise<Result<T, LockFailure>> {
  const acquired = await acquire(folder);
  if (!acquired.ok) return acquired;
  try {
    return ok(await work());
  } finally {
    // A lost lock is not ours to release; the library says so by rejecting.
    await acquired.value().catch(() => undefined);
  }
}

/** The library retries every error alike, so the waiting is done here, and only for a lock that is taken. */
async function acquire(folder: string): Promise<Result<() => Promise<void>, LockFailure>> {
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
          // The default throws from a timer. A lost lock is no accident here, see above.
          onCompromised: () => undefined,
        }),
      );
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // ENOENT: it was taken away between two steps of taking it, by whoever held it to be stale.
      const taken = code === 'ELOCKED' || code === 'ENOENT';
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
