import type { JournalEntry } from '../contract/judged-event.ts';
import type { Receipt } from '../contract/receipt.ts';
import { captureReceipt } from '../receipts/capture-receipt.ts';
import { type Position, positionDigest, readPosition, writeCursor } from '../spool/cursor.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import { readEvent } from '../spool/read-event.ts';
import { Journal } from '../spool/receipt-journal.ts';
import type { SpoolIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import { findTail } from '../spool/tail.ts';
import {
  type Aggregate,
  emptyAggregate,
  foldEvent,
  foldUnjudged,
  readAggregate,
  writeAggregate,
} from './aggregate.ts';
import { summarizeUnjudged } from './bury-damaged.ts';
import { digestsOf, digestsOfEntry, findEntry } from './find-entry.ts';

/** Entries that are finished between two moves of the cursor, at most. */
export const batchSize = 32;

/** Where a drain goes on. */
export interface Progress {
  /** The last entry that is finished. */
  readonly through: number;
  /** What that entry may be called by its successor. */
  readonly digests: readonly string[];
  readonly aggregate: Aggregate;
  readonly journal: Journal;
  readonly tail: number;
}

/** Entries that were judged are not there any more: a backup was put back, or a disk lost what it promised. */
export interface RolledBack {
  readonly rolledBack: true;
  readonly position: Position;
  readonly tail: number;
}

/** Finds out where to go on, whatever of cursor, aggregate and journal is left. */
export function resume(io: SpoolIo, layout: StateLayout): Progress | RolledBack {
  const tail = findTail(io, layout);
  const journal = new Journal(io, layout);
  const known = readAggregate(io, layout);
  const position = readPosition(io, layout) ?? rebuiltPosition(journal, known, tail);
  const decoded = position.sequence < 0 ? null : readEvent(io, layout, position.sequence);
  const other =
    decoded?.ok === true &&
    position.digest !== positionDigest(null) &&
    positionDigest(decoded.stored.digest) !== position.digest;
  if (position.sequence > tail || other) return { rolledBack: true, position, tail };
  const through = position.sequence;
  const aggregate = catchUp(io, layout, { journal, through, aggregate: known ?? emptyAggregate });
  return { through, digests: digestsOf(decoded), aggregate, journal, tail };
}

/**
 * Without a cursor: the aggregate is written just before it, and the journal holds what was judged. Of what the journal
 * holds, the last batch may not have been published.
 */
function rebuiltPosition(journal: Journal, aggregate: Aggregate | null, tail: number): Position {
  const judged = aggregate?.through ?? Math.max(-1, journal.newest() - batchSize);
  return { sequence: Math.min(judged, tail), digest: positionDigest(null) };
}

/** An aggregate that is behind the cursor, or missing, is caught up from the chain and the journal. */
function catchUp(
  io: SpoolIo,
  layout: StateLayout,
  { journal, through, ...known }: Pick<Progress, 'journal' | 'through' | 'aggregate'>,
): Aggregate {
  let { aggregate } = known;
  let before: readonly string[] = [];
  for (let sequence = aggregate.through + 1; sequence <= through; ) {
    const entry = findEntry(io, layout, { sequence, tail: through + 1, before });
    aggregate =
      entry.kind === 'intact'
        ? foldEvent(aggregate, entry.stored, resultOf(journal, entry.stored))
        : foldUnjudged(aggregate, summarizeUnjudged(entry, null), {
            through: entry.sequence,
            entries: entry.sequence - sequence + 1,
          });
    before = digestsOfEntry(entry);
    sequence = entry.sequence + 1;
  }
  return aggregate;
}

/** What became of an entry: from the journal, or what its capture already said. Null: it was not judged. */
export function resultOf(journal: Journal, stored: StoredEvent): JournalEntry | null {
  const known = journal.find(stored.event.sequence, stored.digest);
  if (known !== null) return parseEntry(known);
  const receipt = captureReceipt(stored.event, { threshold: 0.6, signalRule: 'v2', recordedAt: 0 });
  return receipt && stored.event.status !== 'queued' ? capturedResult(receipt) : null;
}

/** The result of an event that needed no judging. */
export const capturedResult = (receipt: Receipt): JournalEntry => ({
  schema_version: 'drift_journal_v1',
  receipt,
  evaluator: 'none',
  facts: [],
});

/** A line of the journal has its own digest, so it is what some drift has written. */
export const parseEntry = (json: string): JournalEntry => JSON.parse(json) as JournalEntry;

/**
 * Goes on from what is there: back to the newest event whose judgment is that of this very event, so that nothing that
 * took the place of a lost one is skipped.
 */
export function acceptRollback(io: SpoolIo, layout: StateLayout): void {
  const found = resume(io, layout);
  if (!('rolledBack' in found)) return;
  const journal = new Journal(io, layout);
  let through = Math.min(found.position.sequence, found.tail);
  let stored: StoredEvent | null = null;
  for (; through >= 0; through -= 1) {
    const decoded = readEvent(io, layout, through);
    stored = decoded?.ok ? decoded.stored : null;
    if (stored?.event.status === 'queued' && journal.find(through, stored.digest) !== null) break;
  }
  const known = readAggregate(io, layout) ?? emptyAggregate;
  writeAggregate(io, layout, {
    ...known,
    through,
    queued_through: stored?.event.totals.queued ?? 0,
    newest: known.newest.filter(({ sequence }) => sequence <= through),
  });
  writeCursor(io, layout, through, stored?.digest ?? null);
}
