import { chmodSync, constants, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EventSummary } from '../contract/judged-event.ts';
import type { Receipt } from '../contract/receipt.ts';
import { readJsonFile } from '../json/read-json-file.ts';
import { publishVerdict } from '../receipts/publish-receipt.ts';
import { normalizeReceipt } from '../sentinel/normalize-receipt.ts';
import type { DecodedEvent } from '../spool/event-format.ts';
import { errorCode, type SpoolIo } from '../spool/spool-io.ts';
import { fileNameOf, type GoalLayout, type StateLayout } from '../spool/state-layout.ts';

const MAX_RECEIPT_BYTES = 65_536;

interface Damaged {
  readonly layout: StateLayout;
  readonly goal: GoalLayout;
  readonly sequence: number;
  readonly decoded: DecodedEvent | null;
  readonly terms: { readonly recordedAt: number };
}

/**
 * Deals with an event that cannot be read: it stays in place so that the sequence has no hole, a copy goes to `dead/`,
 * and its pending receipt, if there is one, becomes `not_evaluated` / `corrupt_event` (design §3, §12).
 */
export function buryDamaged(io: SpoolIo, { layout, goal, sequence, decoded, terms }: Damaged): EventSummary {
  keepCopy(layout, sequence);
  const eventId = decoded === null ? null : decoded.ok ? decoded.stored.event.event_id : decoded.eventId;
  const pending = eventId === null ? null : pendingReceipt(goal, eventId);
  if (pending) {
    publishVerdict(io, goal, { ...pending, reason: 'corrupt_event', recorded_at: terms.recordedAt });
  }
  return {
    event_id: eventId ?? '',
    evidence_id: pending?.evidence_id ?? '',
    sequence,
    status: 'not_evaluated',
    reason: 'corrupt_event',
    evaluator: null,
    drift_signal: { noul: null, choice: null },
    judgments: { choice: null, noul: null },
    facts: [{ fact: 'corrupt_event', detail: decoded?.ok === false ? decoded.damage : 'out of the chain' }],
    run: pending?.run ?? null,
    command: null,
    files: [],
  };
}

function keepCopy(layout: StateLayout, sequence: number): void {
  mkdirSync(layout.dead, { recursive: true, mode: 0o700 });
  const copy = join(layout.dead, fileNameOf(sequence));
  try {
    copyFileSync(layout.event(sequence), copy, constants.COPYFILE_EXCL);
    chmodSync(copy, 0o600);
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) throw error;
  }
}

function pendingReceipt(goal: GoalLayout, eventId: string): Receipt | null {
  const read = readJsonFile(join(goal.receipts, `${eventId}.json`), MAX_RECEIPT_BYTES);
  if (!read.ok) return null;
  const normal = normalizeReceipt({ receipt: read.value.value });
  const receipt = normal.ok ? (normal.receipt as unknown as Receipt) : null;
  return receipt?.status === 'not_evaluated' ? receipt : null;
}
