import { dirname } from 'node:path';
import type { EventSummary } from '../contract/judged-event.ts';
import type { Receipt } from '../contract/receipt.ts';
import { receiptFile, settleReceipt } from '../receipts/publish-receipt.ts';
import { writeCursor } from '../spool/cursor.ts';
import { syncFolder } from '../spool/durable-file.ts';
import { markDamaged, markEvent, syncMarkers } from '../spool/markers.ts';
import type { Journal, JournalLine } from '../spool/receipt-journal.ts';
import { errorCode, type SpoolIo } from '../spool/spool-io.ts';
import type { GoalLayout, StateLayout } from '../spool/state-layout.ts';
import { type Aggregate, writeAggregate } from './aggregate.ts';
import { digestsOfEntry, type FoundEntry } from './find-entry.ts';

/** One entry that is finished but for being written down. */
export interface Step {
  readonly entry: FoundEntry;
  /** A new result, to be journalled; null where there is none or the journal has it. */
  readonly line: JournalLine | null;
  /** Given what stands in the journal for `line`. */
  readonly finish: (standing: string | null) => Finished;
}

export interface Finished {
  readonly receipt: Receipt | null;
  readonly fold: (aggregate: Aggregate) => Aggregate;
  /** Set when the entry was queued or cannot be judged: what the owner wants to hear of. */
  readonly summary: EventSummary | null;
}

export interface Committed {
  readonly through: number;
  readonly aggregate: Aggregate;
  readonly summaries: readonly EventSummary[];
  /** A receipt file that holds something else; nothing at or after its event was finished. */
  readonly conflict: string | null;
}

interface Place {
  readonly io: SpoolIo;
  readonly layout: StateLayout;
  readonly goal: GoalLayout;
  readonly journal: Journal;
}

/**
 * Writes finished entries of one shard down, in an order that a cut anywhere leaves whole: the results durable in the journal, then
 * the receipts, their names and the markers, then the aggregate, and the cursor last. Whatever comes after the cut is
 * done again with the same outcome.
 */
export function commit(
  { io, layout, goal, journal }: Place,
  steps: readonly Step[],
  known: { readonly through: number; readonly aggregate: Aggregate },
): Committed {
  const results = steps.filter((step) => step.line !== null);
  const kept = journal.append(results.flatMap(({ line }) => line ?? []));
  const standing = new Map(results.map((step, index) => [step, kept[index]]));
  const summaries: EventSummary[] = [];
  let { through, aggregate } = known;
  let digest: string | null = null;
  let conflict: string | null = null;
  for (const step of steps) {
    const { receipt, fold, summary } = step.finish(standing.get(step) ?? null);
    if (receipt !== null && settleReceipt(io, goal, receipt) === 'conflict') {
      conflict = receiptFile(goal, receipt.event_id);
      break;
    }
    markEntry(io, layout, step.entry);
    aggregate = fold(aggregate);
    if (summary) summaries.push(summary);
    through = step.entry.sequence;
    digest = digestsOfEntry(step.entry)[0] ?? null;
  }
  if (through > known.through) {
    for (const folder of wayToReceipts(goal)) syncIfThere(io, folder);
    syncMarkers(io, layout);
    writeAggregate(io, layout, aggregate);
    writeCursor(io, layout, through, digest);
  }
  return { through, aggregate, summaries, conflict };
}

function markEntry(io: SpoolIo, layout: StateLayout, entry: FoundEntry): void {
  if (entry.kind === 'intact' || entry.kind === 'repeated') markEvent(io, layout, entry.stored.event);
  else if (entry.kind === 'damaged' && entry.damage !== 'not_regular' && entry.eventId !== null)
    markDamaged(io, layout, entry.sequence, entry.eventId);
}

/** The folder of the receipts and those that it lies in: whoever made them did not wait for the disk. */
function wayToReceipts({ receipts, review, goal }: GoalLayout): string[] {
  const goals = dirname(goal);
  return [receipts, review, goal, goals, dirname(goals), dirname(dirname(goals))];
}

function syncIfThere(io: SpoolIo, folder: string): void {
  try {
    syncFolder(io, folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
