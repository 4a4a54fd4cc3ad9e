import type { Finding } from '../contract/finding.ts';
import type { Receipt } from '../contract/receipt.ts';
import { resultOf } from '../drain/resume.ts';
import { readJsonFile } from '../json/read-json-file.ts';
import { receiptFile } from '../receipts/publish-receipt.ts';
import { normalizeReceipt } from '../sentinel/normalize-receipt.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import { markersOf } from '../spool/markers.ts';
import type { Journal } from '../spool/receipt-journal.ts';
import { nodeIo } from '../spool/spool-io.ts';
import type { GoalLayout, StateLayout } from '../spool/state-layout.ts';

const MAX_RECEIPT_BYTES = 65_536;

/** What a drain has left behind for an entry that it has finished: markers, a result, a receipt that says the same. */
export function findUnfinished(
  layout: StateLayout,
  { stored, journal }: { readonly stored: StoredEvent; readonly journal: Journal },
): Finding[] {
  const { event } = stored;
  const lost = markersOf(layout, event).filter(
    (marker) => nodeIo.statSync(marker, { throwIfNoEntry: false }) === undefined,
  );
  const findings: Finding[] = lost.map((file) => ({
    reason: 'marker_missing',
    file,
    detail: `of entry ${event.sequence}`,
  }));
  if (event.run !== null && resultOf(journal, stored) === null)
    findings.push({ reason: 'result_missing', file: layout.event(event.sequence) });
  return findings;
}

/**
 * What is wrong with the receipt of an entry. One that is not there is only wrong once a drain has finished the entry;
 * an earlier entry with the same id owns it otherwise.
 */
export function findWrongReceipt(
  goal: GoalLayout,
  { stored, journal, isFinished }: { stored: StoredEvent; journal: Journal; isFinished: boolean },
): Finding | null {
  const { event } = stored;
  if (event.run === null) return null;
  const file = receiptFile(goal, event.event_id);
  const read = readReceipt(file);
  if ('reason' in read) {
    if (read.reason !== 'file_missing') return { reason: 'receipt_rejected', file, detail: read.reason };
    return isFinished ? { reason: 'receipt_missing', file, detail: `of entry ${event.sequence}` } : null;
  }
  const { receipt } = read;
  const isOurs = receipt.event_id === event.event_id && receipt.goal_id === event.goal_id;
  if (!isOurs) return { reason: 'receipt_rejected', file, detail: 'it names another event or goal' };
  if (!isFinished) return null;
  const due = resultOf(journal, stored)?.receipt;
  return due && wordOf(due) !== wordOf(receipt) ? { reason: 'receipt_differs', file } : null;
}

/** What a receipt says of its event, whatever the order of its keys and the moment it was written. */
const wordOf = ({ status, reason, evidence_id, sequence, judgments, drift_signal }: Receipt): string =>
  sortedJson({ status, reason, evidence_id, sequence, judgments, drift_signal });

const sortedJson = (value: object): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );

function readReceipt(file: string): { readonly receipt: Receipt } | { readonly reason: string } {
  const read = readJsonFile(file, MAX_RECEIPT_BYTES);
  if (!read.ok) return { reason: read.failure.reason };
  const normal = normalizeReceipt({ receipt: read.value.value });
  if (!normal.ok) return { reason: `${normal.reason}${normal.field ? ` at ${normal.field}` : ''}` };
  return { receipt: normal.receipt as unknown as Receipt };
}
