import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { readCursor } from '../spool/cursor.ts';
import { type Dropped, dropTexts, textsNamedBy } from '../spool/drop-texts.ts';
import { readTail } from '../spool/enqueue.ts';
import { dropLater } from '../spool/retention.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { underDrainLock } from './under-drain-lock.ts';

/**
 * Drops the raw text of one event at its owner's word; its receipt, result and label stay. Text that the newest
 * checkpoint names stays until one does not, because the next turn is compared with it; the drain after that drops it. Reasons: event_not_judged (its text is still
 * needed), state_busy, and those of {@link underDrainLock}.
 */
export async function purgeEvent(
  loaded: LoadedObserver,
  sequence: number,
): Promise<Result<Dropped, Failure>> {
  const { layout } = loaded;
  const purged = await underDrainLock<Dropped>(loaded, {}, async () => {
    const tail = readTail(nodeIo, layout);
    const judged = readCursor(nodeIo, layout) ?? -1;
    if (tail === null || judged < tail.sequence)
      return fail({ reason: 'event_not_judged', file: layout.event(sequence) });
    // A damaged newest entry names nothing: the next turn starts anew without any of these texts.
    const named = tail.stored ? textsNamedBy(tail.stored.event) : new Set<string>();
    const dropped = dropTexts(nodeIo, layout, sequence, named);
    if (dropped.kept.length > 0) dropLater(nodeIo, layout, sequence);
    return ok(dropped);
  });
  return purged === 'busy' ? fail({ reason: 'state_busy', file: layout.drainLock }) : purged;
}
