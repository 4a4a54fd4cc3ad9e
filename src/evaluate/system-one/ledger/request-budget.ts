import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  linkIfFree,
  readJsonObject,
  replaceDurably,
  syncFolder,
  writeDurableTemporary,
} from './durable-file.ts';

const budgetVersion = 'drift_request_budget_v1';

/** Requests that one observer may send, and has sent or may have sent, over its whole life. */
export interface RequestBudget {
  readonly used: number;
  readonly max: number;
}

/**
 * What is used is counted by the slots themselves, so the count and the reservations cannot disagree. Slots are taken
 * in order without holes; the search costs the logarithm of their number.
 */
export function usedSlots(folder: string): number {
  const taken = (n: number): boolean => existsSync(join(folder, 'slots', String(n)));
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
  if (fixed === undefined) return null;
  return { used: usedSlots(folder), max: Math.min(fixed ?? configuredMax, configuredMax) };
}

/** Fixes the number at the first request, unless it is fixed already. */
export function fixRequestBudget(folder: string, max: number): void {
  if (readFixedMax(folder) !== null) return;
  const temporary = writeDurableTemporary(join(folder, 'tmp'), { schema_version: budgetVersion, max });
  linkIfFree(temporary, join(folder, 'budget.json'));
  syncFolder(folder);
}

/** Sets the number explicitly: the way of `drift configure system_one.max_requests=…`, up or down. */
export function setRequestBudget(folder: string, max: number): void {
  replaceDurably(join(folder, 'budget.json'), join(folder, 'tmp'), { schema_version: budgetVersion, max });
}

/** Null: not fixed yet. Undefined: unreadable. */
function readFixedMax(folder: string): number | null | undefined {
  const stored = readJsonObject(join(folder, 'budget.json'));
  if (stored === null || stored === undefined) return stored;
  const { schema_version, max } = stored;
  return schema_version === budgetVersion && Number.isSafeInteger(max) && (max as number) >= 0
    ? (max as number)
    : undefined;
}
