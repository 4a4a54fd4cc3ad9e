import type { Pool } from 'pg';
import type { DriftEvent } from '../../contract/event.ts';
import { type JournalEntry, journalSchemaVersion } from '../../contract/judged-event.ts';
import { journalEntry, unevaluated, whyStale } from '../../drain/judge-event.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import type { LoadedObserver } from '../../observer/load-observer.ts';
import { normalizeReceipt } from '../../sentinel/normalize-receipt.ts';
import type { StoredEvent } from '../../spool/event-format.ts';
import { readEvent } from '../../spool/read-event.ts';
import type { SpoolIo } from '../../spool/spool-io.ts';

/** Results fetched at once. */
export const receiptPage = 256;

interface Row {
  readonly of_spool: string;
  readonly host_seq: string;
  readonly digest: string | null;
  readonly entry: string;
}

interface Receiver {
  readonly io: SpoolIo;
  readonly loaded: LoadedObserver;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Results that have come back, by sequence, ready to be journalled and published. */
export interface Received {
  readonly results: ReadonlyMap<number, JournalEntry>;
  /** There may be more after them. */
  readonly isFull: boolean;
}

/**
 * Fetches the results after `after` and holds each against the guards once more (design §7): what no longer speaks of
 * the present contract becomes stale, what is not a result of that event becomes failed, and the history is told.
 */
export async function fetchResults(
  pool: Pool,
  receiver: Receiver,
  { spoolId, after }: { readonly spoolId: string; readonly after: number },
): Promise<Received> {
  const { rows } = await pool.query<Row>(
    'SELECT of_spool, host_seq, digest, entry FROM drift_fleet.receipts($1, $2, $3)',
    [spoolId, after, receiptPage],
  );
  const results = new Map<number, JournalEntry>();
  for (const row of rows) {
    const sequence = Number(row.host_seq);
    const decoded = readEvent(receiver.io, receiver.loaded.layout, sequence);
    if (!decoded?.ok || decoded.stored.event.status !== 'queued') continue;
    const { entry, withdrawn } = decide(receiver, decoded.stored, row);
    if (withdrawn !== null)
      await pool.query('SELECT drift_fleet.withdraw($1, $2, $3)', [row.of_spool, sequence, withdrawn]);
    results.set(sequence, entry);
  }
  return { results, isFull: rows.length === receiptPage };
}

interface Decision {
  readonly entry: JournalEntry;
  /** Why the result in the database is not the one that is published; null where it is. */
  readonly withdrawn: string | null;
}

function decide({ loaded, now }: Receiver, { event, digest }: StoredEvent, row: Row): Decision {
  const instead = (status: 'failed' | 'stale', reason: string): Decision => ({
    withdrawn: reason,
    entry: journalEntry(
      { loaded, now },
      { event, evaluation: unevaluated(status, reason, loaded.config), elapsedMs: 0 },
    ),
  });
  const stale = whyStale(loaded, event);
  if (stale !== null) return instead('stale', stale);
  const entry = row.digest === digest ? readEntry(row.entry, event) : null;
  return entry === null ? instead('failed', 'fleet_result_invalid') : { entry, withdrawn: null };
}

/** A journal line that is the result of this very event; null for anything else. */
function readEntry(text: string, event: DriftEvent): JournalEntry | null {
  const parsed = parseStrictJson(text);
  const entry = (parsed.ok ? parsed.value : null) as Partial<JournalEntry> | null;
  if (entry?.schema_version !== journalSchemaVersion || typeof entry.evaluator !== 'string') return null;
  if (!Array.isArray(entry.facts) || !normalizeReceipt({ receipt: entry.receipt }).ok) return null;
  const { receipt } = entry as JournalEntry;
  const same =
    receipt.event_id === event.event_id &&
    receipt.evidence_id === event.evidence_id &&
    receipt.contract_revision === event.contract_revision &&
    receipt.goal_id === event.goal_id &&
    receipt.sequence === event.sequence;
  return same ? (entry as JournalEntry) : null;
}
