import type { Failure } from '../contract/failure.ts';
import type { EventSummary, JournalEntry } from '../contract/judged-event.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { summarize } from '../drain/aggregate.ts';
import { resultOf } from '../drain/resume.ts';
import { readTail } from '../spool/enqueue.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import { findMarked } from '../spool/markers.ts';
import { readEventFile } from '../spool/read-event.ts';
import { Journal } from '../spool/receipt-journal.ts';
import { nodeIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';

const MIN_PREFIX = 8;

/** An event with its result, null while it has none. */
export interface FoundEvent {
  readonly stored: StoredEvent;
  readonly entry: JournalEntry | null;
  readonly summary: EventSummary;
}

/**
 * The one event that an id or an unambiguous prefix of 8 characters or more names.
 * Reasons: event_ambiguous (also for a short prefix), event_not_found, event_damaged.
 */
export function findEvent(
  layout: StateLayout,
  prefix: string,
  journal: Journal = new Journal(nodeIo, layout),
): Result<FoundEvent, Failure> {
  if (prefix.length < MIN_PREFIX) return fail({ reason: 'event_ambiguous', field: prefix });
  if (!/^[0-9a-f]{8,64}$/.test(prefix)) return fail({ reason: 'event_not_found', field: prefix });
  const tail = readTail(nodeIo, layout);
  const found = new Map<string, StoredEvent>();
  if (tail?.stored?.event.event_id.startsWith(prefix)) found.set(tail.stored.event.event_id, tail.stored);
  for (const file of findMarked(nodeIo, layout, prefix)) {
    const decoded = readEventFile(nodeIo, file, null);
    if (decoded?.ok) found.set(decoded.stored.event.event_id, decoded.stored);
    else if (decoded) return fail({ reason: 'event_damaged', file, detail: decoded.damage });
  }
  const [stored, another] = [...found.values()].filter(({ event }) => event.status !== 'checkpoint');
  if (another) return fail({ reason: 'event_ambiguous', field: prefix });
  if (!stored) return fail({ reason: 'event_not_found', field: prefix });
  return ok(withResult(journal, stored));
}

/** Adds the result of an event: from the journal, or what its capture already said. */
export function withResult(journal: Journal, stored: StoredEvent): FoundEvent {
  const result = resultOf(journal, stored);
  const summary = summarize(stored, result);
  const { status } = stored.event;
  return status === 'queued'
    ? { stored, entry: result, summary: result ? summary : { ...summary, status } }
    : { stored, entry: null, summary };
}
