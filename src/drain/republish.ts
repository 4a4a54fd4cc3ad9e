import type { Receipt } from '../contract/receipt.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { captureReceipt } from '../receipts/capture-receipt.ts';
import { settleReceipt } from '../receipts/publish-receipt.ts';
import { readPosition } from '../spool/cursor.ts';
import { syncFolder } from '../spool/durable-file.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import { markEvent, syncMarkers } from '../spool/markers.ts';
import { readEvent } from '../spool/read-event.ts';
import { Journal } from '../spool/receipt-journal.ts';
import type { SpoolIo } from '../spool/spool-io.ts';
import { resultOf } from './resume.ts';

/**
 * Writes anew what is missing of what earlier drains have left: receipts, from the results in the journal, and markers.
 * A receipt that holds something else is left alone. Called with the drain lock held; gives back how many receipts were
 * written.
 *
 * @param now epoch milliseconds
 */
export function republish(io: SpoolIo, loaded: LoadedObserver, now: number): number {
  const { layout, goal } = loaded;
  const through = readPosition(io, layout)?.sequence ?? -1;
  const journal = new Journal(io, layout);
  const seen = new Set<string>();
  let written = 0;
  for (let sequence = 0; sequence <= through; sequence += 1) {
    const decoded = readEvent(io, layout, sequence);
    if (!decoded?.ok || seen.has(decoded.stored.event.event_id)) continue;
    const { stored } = decoded;
    seen.add(stored.event.event_id);
    markEvent(io, layout, stored.event);
    const receipt = receiptOf(stored, { journal, loaded, now });
    if (receipt !== null && settleReceipt(io, goal, receipt) === 'published') written += 1;
  }
  if (written > 0) syncFolder(io, goal.receipts);
  if (through >= 0) syncMarkers(io, layout);
  return written;
}

function receiptOf(
  stored: StoredEvent,
  { journal, loaded, now }: { journal: Journal; loaded: LoadedObserver; now: number },
): Receipt | null {
  if (stored.event.status === 'queued') return resultOf(journal, stored)?.receipt ?? null;
  const { minimum_label_probability: threshold, signal_rule: signalRule } = loaded.config;
  return captureReceipt(stored.event, { threshold, signalRule, recordedAt: now / 1_000 });
}
