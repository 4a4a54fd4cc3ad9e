import lockfile from 'proper-lockfile';
import { errorCode } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

const STALE_MS = 15_000;
const UPDATE_MS = 5_000;

/** One drainer at a time. It saves work; correctness never rests on it (design §3), so a stolen lock only stops us. */
export interface DrainLock {
  /** True once another process has taken the lock; nothing may be published any more. */
  readonly isLost: () => boolean;
  readonly release: () => Promise<void>;
}

/** Null: another process holds it. */
export async function acquireDrainLock(state: string, layout: StateLayout): Promise<DrainLock | null> {
  let lost = false;
  try {
    const release = await lockfile.lock(state, {
      realpath: false,
      lockfilePath: layout.drainLock,
      stale: STALE_MS,
      update: UPDATE_MS,
      retries: 0,
      onCompromised: () => {
        lost = true;
      },
    });
    return {
      isLost: () => lost,
      release: async () => {
        if (!lost) await release().catch(() => undefined);
      },
    };
  } catch (error) {
    if (errorCode(error) === 'ELOCKED') return null;
    throw error;
  }
}

/** Whether a drainer is at work now. */
export async function isDrainBusy(state: string, layout: StateLayout): Promise<boolean> {
  return lockfile
    .check(state, { realpath: false, lockfilePath: layout.drainLock, stale: STALE_MS })
    .catch(() => false);
}
