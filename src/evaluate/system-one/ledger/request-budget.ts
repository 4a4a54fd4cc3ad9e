import { join } from 'node:path';
import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { readJsonFile } from '../../../json/read-json-file.ts';
import { removeQuietly, replaceFile, stageFile, syncFolder } from '../../../spool/durable-file.ts';
import { errorCode, nodeIo, type SpoolIo } from '../../../spool/spool-io.ts';
import { exists, linkIfFree, maxRecordBytes } from './record-file.ts';

const budgetVersion = 'drift_request_budget_v1';

/** Requests that one observer may send, and has sent or may have sent, over its whole life. */
export interface RequestBudget {
  readonly used: number;
  readonly max: number;
}

/**
 * What is used is counted by the slots themselves, so the count and the reservations cannot disagree. Slots are taken
 * in order and without holes, so the search costs the logarithm of their number.
 */
function usedSlots(folder: string): number {
  const taken = (n: number): boolean => exists(join(folder, 'slots', String(n)));
  let above = 1;
  while (taken(above)) above *= 2;
  let below = Math.floor(above / 2);
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (taken(middle)) below = middle;
    else above = middle;
  }
  return below;
}

/**
 * The budget of the ledger in `folder`. The configured number counts until the first request fixes it; from then on a
 * larger number in the configuration changes nothing, and a smaller one holds.
 *
 * @returns null when the fixed number cannot be read: then nothing may be sent
 */
export function readRequestBudget(folder: string, configuredMax: number): RequestBudget | null {
  const fixed = readFixedMax(folder);
  try {
    return fixed === null ? null : { used: usedSlots(folder), max: Math.min(fixed, configuredMax) };
  } catch {
    return null;
  }
}

/** Fixes the number at the first request, unless it is fixed already. */
export function fixRequestBudget(io: SpoolIo, folder: string, max: number): void {
  if (readFixedMax(folder) !== Number.POSITIVE_INFINITY) return;
  const staged = stageFile(io, join(folder, 'tmp'), [bytesOf(max)]);
  try {
    linkIfFree(io, staged, join(folder, 'budget.json'));
  } finally {
    removeQuietly(io, staged);
  }
  syncFolder(io, folder);
}

/** Sets the number outright: the way of `drift configure system_one.max_requests=…`, up or down. Reason: write_failed. */
export function setRequestBudget(folder: string, max: number): Result<null, Failure> {
  const file = join(folder, 'budget.json');
  try {
    replaceFile(nodeIo, file, bytesOf(max), { staging: join(folder, 'tmp'), folder });
    return ok(null);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return fail({ reason: 'write_failed', file, detail: errorCode(error) ?? '' });
  }
}

const bytesOf = (max: number): Buffer =>
  Buffer.from(`${JSON.stringify({ schema_version: budgetVersion, max })}\n`);

/** Infinity: not fixed yet. Null: unreadable. */
function readFixedMax(folder: string): number | null {
  const read = readJsonFile(join(folder, 'budget.json'), maxRecordBytes);
  if (!read.ok) return read.failure.reason === 'file_missing' ? Number.POSITIVE_INFINITY : null;
  const { schema_version, max } = (read.value.value ?? {}) as Readonly<Record<string, unknown>>;
  return schema_version === budgetVersion && Number.isSafeInteger(max) ? Number(max) : null;
}
