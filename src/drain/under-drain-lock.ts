import type { Failure } from '../contract/failure.ts';
import { fail, type Result } from '../contract/result.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { findDetour } from '../receipts/find-detour.ts';
import { acquireDrainLock, type DrainLock, type Patience } from '../spool/drain-lock.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { sweepStaging } from './sweep-staging.ts';
import { writeFailure } from './write-failure.ts';

/**
 * Works as the only drainer of an observer, whoever judges its events. `busy`: another one is at work. What the
 * filesystem reports is an expected failure. Reasons: runtime_replaced, disk_full, write_failed, and those of the work.
 */
export async function underDrainLock<T>(
  loaded: LoadedObserver,
  patience: Patience,
  work: (lock: DrainLock) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure> | 'busy'> {
  const detour = findDetour(loaded.goal);
  if (detour !== null) return fail({ reason: 'runtime_replaced', file: detour });
  try {
    const lock = await acquireDrainLock(loaded.state, loaded.layout, patience);
    if (lock === null) return 'busy';
    try {
      sweepStaging(nodeIo, loaded);
      return await work(lock);
    } finally {
      await lock.release();
    }
  } catch (error) {
    const failure = writeFailure(error, loaded.state);
    if (failure === null) throw error;
    return fail(failure);
  }
}
