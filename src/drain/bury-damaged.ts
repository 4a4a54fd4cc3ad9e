import { join } from 'node:path';
import type { EventSummary } from '../contract/judged-event.ts';
import type { Receipt } from '../contract/receipt.ts';
import { receiptFile } from '../receipts/publish-receipt.ts';
import { normalizeReceipt } from '../sentinel/normalize-receipt.ts';
import { makePrivateFolder, removeQuietly, stageFile } from '../spool/durable-file.ts';
import { readPrivateFile } from '../spool/private-file.ts';
import { errorCode, type SpoolIo } from '../spool/spool-io.ts';
import { fileNameOf, type GoalLayout, type StateLayout } from '../spool/state-layout.ts';
import type { FoundEntry } from './find-entry.ts';

const MAX_RECEIPT_BYTES = 65_536;
/** More than any entry that refresh would write. */
const MAX_COPIED_BYTES = 134_217_728;

/** An entry that cannot be judged. */
export type UnjudgedEntry = Exclude<FoundEntry, { kind: 'intact' }>;

/** Keeps a copy of a damaged entry, which itself stays in place so that the sequence has no hole (design §3, §12). */
export function keepCopy(io: SpoolIo, layout: StateLayout, sequence: number): void {
  const bytes = readPrivateFile(io, layout.event(sequence), MAX_COPIED_BYTES);
  if (bytes === null) return;
  makePrivateFolder(io, layout.dead);
  const staged = stageFile(io, layout.staging, [bytes], false);
  try {
    io.linkSync(staged, join(layout.dead, fileNameOf(sequence)));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    removeQuietly(io, staged);
  }
}

/** The receipt that a damaged event gets in place of its pending one. Null where there is none to be replaced. */
export function receiptOfDamaged(
  io: SpoolIo,
  goal: GoalLayout,
  { sequence, eventId }: Pick<Extract<FoundEntry, { kind: 'damaged' }>, 'sequence' | 'eventId'>,
  recordedAt: number,
): Receipt | null {
  const bytes = eventId && readPrivateFile(io, receiptFile(goal, eventId), MAX_RECEIPT_BYTES);
  const known = bytes ? parseReceipt(bytes) : null;
  if (known?.status !== 'not_evaluated' || known.sequence !== sequence) return null;
  return { ...known, reason: 'corrupt_event', recorded_at: recordedAt };
}

function parseReceipt(bytes: Buffer): Receipt | null {
  try {
    const normal = normalizeReceipt({ receipt: JSON.parse(bytes.toString('utf8')) });
    if (!normal.ok) return null;
    const { receipt_id: _id, authority: _authority, ...receipt } = normal.receipt;
    return receipt;
  } catch {
    return null;
  }
}

/** What the owner hears of an entry that cannot be judged. */
export function summarizeUnjudged(entry: UnjudgedEntry, receipt: Receipt | null): EventSummary {
  const { reason, detail } = wordsFor(entry);
  const event = entry.kind === 'repeated' ? entry.stored.event : null;
  return {
    event_id: event?.event_id ?? (entry.kind === 'damaged' ? (entry.eventId ?? '') : ''),
    evidence_id: event?.evidence_id ?? receipt?.evidence_id ?? '',
    sequence: entry.sequence,
    status: 'not_evaluated',
    reason,
    evaluator: null,
    drift_signal: { noul: null, choice: null },
    judgments: { choice: null, noul: null },
    facts: [{ fact: reason, detail }],
    run: event?.run ?? receipt?.run ?? null,
    command: null,
    files: [],
  };
}

function wordsFor(entry: UnjudgedEntry): { readonly reason: string; readonly detail: string } {
  switch (entry.kind) {
    case 'damaged':
      return { reason: 'corrupt_event', detail: entry.damage };
    case 'repeated':
      return { reason: 'duplicate_event', detail: 'an earlier entry has this id; its receipt stands' };
    case 'gap':
      return { reason: 'gap', detail: `no entry from ${entry.first} to ${entry.sequence}` };
  }
}
