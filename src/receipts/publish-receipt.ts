import { join } from 'node:path';
import type { Receipt } from '../contract/receipt.ts';
import { removeQuietly, replaceFile, stageFile } from '../spool/durable-file.ts';
import { errorCode, type SpoolIo } from '../spool/spool-io.ts';
import type { GoalLayout } from '../spool/state-layout.ts';

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

const receiptFile = (goal: GoalLayout, eventId: string): string => join(goal.receipts, `${eventId}.json`);

/**
 * Publishes what refresh has to say of an event: a pending receipt, or a final one that needs no evaluation. A
 * receipt that is already there is a verdict and stays. Not synced: drain republishes what is missing.
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
      io.mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
  }
}

/** Puts a verdict in place of whatever the event's receipt is now. Only drain does this. */
export function publishVerdict(io: SpoolIo, goal: GoalLayout, receipt: Receipt): void {
  io.mkdirSync(goal.receipts, { recursive: true, mode: 0o700 });
  replaceFile(io, receiptFile(goal, receipt.event_id), serializeReceipt(receipt), { staging: goal.staging });
}
