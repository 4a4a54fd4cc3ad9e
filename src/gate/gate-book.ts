import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import type { GateReport } from '../contract/gate.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { errorCode } from '../spool/spool-io.ts';
import { makeFolder, writeFileDurably } from '../store/durable-file.ts';
import { withLock } from '../store/lock.ts';
import { type DebtRow, debtId, formatDebts, parseDebts } from './debts.ts';
import { firstCharacters, oneLine } from './one-line.ts';

const maxTrailCharacters = 300;
const maxTrailRows = 1_000;

const bookFolder = (state: string): string => join(state, 'gate');
const debtsFile = 'debts.tsv';
const trailFile = 'trail.jsonl';

/** The debts as they are written down. Fails with `state_unreadable`. */
export function readDebts(state: string): Result<readonly DebtRow[], Failure> {
  const file = join(bookFolder(state), debtsFile);
  try {
    return ok(existsSync(file) ? parseDebts(readFileSync(file, 'utf8')) : []);
  } catch (error) {
    return fail({ reason: 'state_unreadable', file, detail: errorCode(error) ?? String(error) });
  }
}

/** Changes the debts under the gate's lock. Fails with `write_failed` or `state_unreadable`. */
export async function changeDebts(
  state: string,
  change: (rows: readonly DebtRow[]) => readonly DebtRow[],
): Promise<Result<readonly DebtRow[], Failure>> {
  return inBook(state, () => {
    const rows = readDebts(state);
    if (!rows.ok) return rows;
    const changed = change(rows.value);
    if (changed !== rows.value)
      writeFileDurably({ state, folder: bookFolder(state), name: debtsFile }, formatDebts(changed));
    return ok(changed);
  });
}

/** Takes out one debt by its id. Fails with `debt_not_found`, `debt_ambiguous` too. */
export async function closeDebt(
  state: string,
  id: string,
  { reason, at }: { readonly reason: string; readonly at: string },
): Promise<Result<DebtRow, Failure>> {
  const rows = readDebts(state);
  if (!rows.ok) return rows;
  const found = rows.value.filter((row) => debtId(row) === id || row.task === id);
  const [debt] = found;
  if (!debt) return fail({ reason: 'debt_not_found', field: id });
  if (found.length > 1) return fail({ reason: 'debt_ambiguous', field: id });
  const changed = await changeDebts(state, (now) => now.filter((row) => debtId(row) !== debtId(debt)));
  if (!changed.ok) return changed;
  const left = await leaveTrail(state, { line: `debt closed: ${debt.task} ${debt.reason} — ${reason}`, at });
  return left.ok ? ok(debt) : left;
}

/** One run, or one closed debt, in the gate's history. */
export interface TrailRow {
  readonly line: string;
  readonly at: string;
  readonly verdict?: GateReport['verdict'];
}

/** Adds one row of at most 300 characters; beyond a thousand rows the oldest go. Fails with `write_failed`. */
export async function leaveTrail(state: string, { line, ...rest }: TrailRow): Promise<Result<null, Failure>> {
  return inBook(state, () => {
    const file = join(bookFolder(state), trailFile);
    const rows = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
    const row = fitRow(oneLine(line), rest);
    if (rows.length < maxTrailRows) appendFileSync(file, `${row}\n`, { mode: 0o600 });
    else {
      const kept = [...rows.slice(1 - maxTrailRows), row].map((text) => `${text}\n`).join('');
      writeFileDurably({ state, folder: bookFolder(state), name: trailFile }, kept);
    }
    return ok(null);
  });
}

/** Cuts the line until the row fits; escapes make some characters longer than one. */
function fitRow(line: string, rest: Omit<TrailRow, 'line'>): string {
  for (let length = maxTrailCharacters; ; length -= 1) {
    const row = JSON.stringify({ line: firstCharacters(line, length), ...rest });
    if (row.length <= maxTrailCharacters) return row;
  }
}

/** The history, oldest first. A line that is no row is left out. */
export function readTrail(state: string): readonly TrailRow[] {
  const file = join(bookFolder(state), trailFile);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const row = JSON.parse(line) as Partial<TrailRow> | null;
        return typeof row?.line === 'string' && typeof row.at === 'string' ? [row as TrailRow] : [];
      } catch {
        return [];
      }
    });
}

async function inBook<T>(state: string, work: () => Result<T, Failure>): Promise<Result<T, Failure>> {
  const folder = bookFolder(state);
  try {
    makeFolder(state, 'gate');
    const held = await withLock(folder, work);
    return held.ok ? held.value : fail(held.failure);
  } catch (error) {
    return fail({ reason: 'write_failed', file: folder, detail: errorCode(error) ?? String(error) });
  }
}
