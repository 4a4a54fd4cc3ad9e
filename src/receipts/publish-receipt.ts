import { join } from 'node:path';
import type { DriftEvent } from '../contract/event.ts';
import type { Receipt } from '../contract/receipt.ts';
import { normalizeReceipt } from '../sentinel/normalize-receipt.ts';
import { makePrivateFolder, removeQuietly, stageFile, syncFile } from '../spool/durable-file.ts';
import { openForRead, readAt } from '../spool/private-file.ts';
import { errorCode, type SpoolIo } from '../spool/spool-io.ts';
import type { GoalLayout } from '../spool/state-layout.ts';

const MAX_RECEIPT_BYTES = 65_536;
/** Every receipt of one contract begins with its revision, a pending one like a verdict. */
const TELLING_BYTES = 80;

/** The bytes of a receipt file: sorted keys, two spaces, a line end (contract §5). */
export function serializeReceipt(receipt: Receipt): Buffer {
  return Buffer.from(`${JSON.stringify(sortKeys(receipt), null, 2)}\n`);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}

export const receiptFile = (goal: GoalLayout, eventId: string): string =>
  join(goal.receipts, `${eventId}.json`);

/**
 * Publishes what refresh has to say of an event: a pending receipt, or a final one that needs no evaluation. A
 * receipt that is already there is a verdict and stays. Not synced: drain settles every receipt before it moves on.
 */
export function publishAtCapture(io: SpoolIo, goal: GoalLayout, receipt: Receipt): void {
  const staged = stageFile(io, goal.staging, [serializeReceipt(receipt)], false);
  const file = receiptFile(goal, receipt.event_id);
  try {
    linkInto(io, staged, file, goal.receipts);
  } finally {
    removeQuietly(io, staged);
  }
}

function linkInto(io: SpoolIo, staged: string, file: string, folder: string): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      io.linkSync(staged, file);
      return;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      if (errorCode(error) !== 'ENOENT' || attempt > 0) throw error;
      makePrivateFolder(io, folder);
    }
  }
}

/** `conflict`: something else stands in the receipt's place. It is left alone, and nothing may go on as if it were ours. */
export type Settled = 'published' | 'stands' | 'conflict';

/**
 * Makes sure that an event's receipt is the one that is due, its bytes durable; the folder is synced by the caller, once
 * for many. Takes the place of nothing, of the event's own pending receipt and of what a power cut left of either; the
 * same receipt again changes nothing. Only drain does this.
 */
export function settleReceipt(io: SpoolIo, goal: GoalLayout, receipt: Receipt): Settled {
  const file = receiptFile(goal, receipt.event_id);
  const bytes = serializeReceipt(receipt);
  const there = readReceiptFile(io, file);
  if (there === 'irregular') return 'conflict';
  if (there !== 'missing') {
    if (there.equals(bytes)) return stands(io, file);
    if (!isTorn(there, bytes)) {
      const known = parseReceipt(there);
      if (known.event_id !== receipt.event_id || known.goal_id !== receipt.goal_id) return 'conflict';
      if (isSameWord(known, receipt)) return stands(io, file);
      if (!mayBeReplaced(known, receipt)) return 'conflict';
    }
  }
  const staged = stageInto(io, goal, bytes);
  try {
    io.renameSync(staged, file);
  } catch (error) {
    removeQuietly(io, staged);
    throw error;
  }
  return 'published';
}

/** The verdict that is published for an event already; null where there is none, or it is another event's. */
export function readVerdict(io: SpoolIo, goal: GoalLayout, event: DriftEvent): Receipt | null {
  const there = readReceiptFile(io, receiptFile(goal, event.event_id));
  const normal = normalizeReceipt({ receipt: typeof there === 'string' ? null : parseReceipt(there) });
  if (!normal.ok) return null;
  const { receipt_id: _id, authority: _authority, ...receipt } = normal.receipt;
  const isOurs = receipt.event_id === event.event_id && isSameEvent(receipt, event);
  return isOurs && receipt.reason !== 'pending_evaluation' ? receipt : null;
}

function stageInto(io: SpoolIo, goal: GoalLayout, bytes: Buffer): string {
  makePrivateFolder(io, goal.receipts);
  return stageFile(io, goal.staging, [bytes]);
}

/** What is there may be refresh's, which did not wait for the disk. */
function stands(io: SpoolIo, file: string): 'stands' {
  syncFile(io, file);
  return 'stands';
}

function readReceiptFile(io: SpoolIo, file: string): Buffer | 'missing' | 'irregular' {
  let fd: number;
  try {
    fd = openForRead(io, file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing';
    if (['ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) return 'irregular';
    throw error;
  }
  try {
    const stat = io.fstatSync(fd);
    if (!stat.isFile() || stat.size > MAX_RECEIPT_BYTES) return 'irregular';
    return readAt(io, fd, 0, stat.size);
  } finally {
    io.closeSync(fd);
  }
}

/** What a power cut leaves of a receipt of ours: nothing, or its beginning and then nothing but zeros. */
function isTorn(there: Buffer, ours: Buffer): boolean {
  const end = there.findLastIndex((byte) => byte !== 0) + 1;
  const length = Math.min(end, TELLING_BYTES);
  return !isJson(there) && there.subarray(0, length).equals(ours.subarray(0, length));
}

function parseReceipt(bytes: Buffer): Partial<Receipt> {
  const value: unknown = isJson(bytes) ? JSON.parse(bytes.toString('utf8')) : null;
  return typeof value === 'object' && value !== null ? (value as Partial<Receipt>) : {};
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** A receipt without a verdict says the same whenever it was recorded. */
const isSameWord = (known: Partial<Receipt>, { status, reason, ...event }: Receipt): boolean =>
  isSameEvent(known, event) &&
  status === 'not_evaluated' &&
  known.status === status &&
  known.reason === reason &&
  withoutVerdict.has(reason);

const isSameEvent = (
  known: Partial<Receipt>,
  { sequence, evidence_id }: Pick<Receipt, 'sequence' | 'evidence_id'>,
): boolean => known.sequence === sequence && known.evidence_id === evidence_id;

const withoutVerdict: ReadonlySet<string | null> = new Set([
  'baseline_reset',
  'branch_changed',
  'overlapping_captures',
  'duplicate_evidence',
  'no_delta',
  'corrupt_event',
]);

/** A pending receipt is nobody's verdict, whichever entry of the id it was made for. */
const mayBeReplaced = (known: Partial<Receipt>, receipt: Receipt): boolean =>
  known.status === 'not_evaluated' &&
  (known.reason === 'pending_evaluation' ||
    (receipt.reason === 'corrupt_event' && isSameEvent(known, receipt)));
