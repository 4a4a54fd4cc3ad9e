import { randomBytes } from 'node:crypto';
import { drainModeSchemaVersion, type ShippedMode } from '../../contract/drain-mode.ts';
import type { Failure } from '../../contract/failure.ts';
import { fail, ok, type Result } from '../../contract/result.ts';
import { readDrainMode, writeDrainMode } from '../../drain/drain-mode.ts';
import type { LoadedObserver } from '../../observer/load-observer.ts';
import { readCursor } from '../../spool/cursor.ts';
import { acquireDrainLock } from '../../spool/drain-lock.ts';
import { removeQuietly } from '../../spool/durable-file.ts';
import { nodeIo } from '../../spool/spool-io.ts';
import { readShippedCursor } from './shipped-cursor.ts';

export interface Joined {
  readonly status: 'joined' | 'already_joined';
  readonly mode: ShippedMode;
}

/**
 * Hands the judging of this observer over to the fleet, from the first event that this machine has not judged.
 * Reasons: state_busy, those of the mode file.
 */
export function joinFleet(loaded: LoadedObserver): Promise<Result<Joined, Failure>> {
  return asOnlyDrainer<Joined>(loaded, () => {
    const known = readDrainMode(loaded.layout);
    if (!known.ok) return known;
    if (known.value.mode === 'shipped') return ok({ status: 'already_joined', mode: known.value });
    const mode: ShippedMode = {
      schema_version: drainModeSchemaVersion,
      mode: 'shipped',
      spool_id: randomBytes(16).toString('hex'),
      first_sequence: (readCursor(nodeIo, loaded.layout) ?? -1) + 1,
      predecessor: null,
    };
    removeQuietly(nodeIo, loaded.layout.shipped);
    writeDrainMode(nodeIo, loaded, mode);
    return ok({ status: 'joined', mode });
  });
}

export interface Left {
  readonly status: 'left' | 'not_joined';
  /** Shipped events without a result that this machine judges after all. */
  readonly abandoned: number;
}

/**
 * Takes the judging back. While results are outstanding it is refused, unless they are given up for good: then this
 * machine judges those events too. Reasons: state_busy, fleet_receipts_outstanding, those of the mode file.
 */
export function leaveFleet(
  loaded: LoadedObserver,
  { abandon }: { readonly abandon: boolean },
): Promise<Result<Left, Failure>> {
  return asOnlyDrainer<Left>(loaded, () => {
    const { layout } = loaded;
    const known = readDrainMode(layout);
    if (!known.ok) return known;
    if (known.value.mode === 'local') return ok({ status: 'not_joined', abandoned: 0 });
    const outstanding = Math.max(0, readShippedCursor(nodeIo, layout) - (readCursor(nodeIo, layout) ?? -1));
    if (outstanding > 0 && !abandon)
      return fail({ reason: 'fleet_receipts_outstanding', detail: String(outstanding) });
    writeDrainMode(nodeIo, loaded, { schema_version: drainModeSchemaVersion, mode: 'local' });
    removeQuietly(nodeIo, layout.shipped);
    return ok({ status: 'left', abandoned: outstanding });
  });
}

/** The mode changes only while nobody drains, so that no event is judged under both. */
async function asOnlyDrainer<T>(
  { state, layout }: LoadedObserver,
  step: () => Result<T, Failure>,
): Promise<Result<T, Failure>> {
  const lock = await acquireDrainLock(state, layout);
  if (lock === null) return fail({ reason: 'state_busy', file: layout.drainLock });
  try {
    return step();
  } finally {
    await lock.release();
  }
}
