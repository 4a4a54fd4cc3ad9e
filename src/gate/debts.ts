import { createHash } from 'node:crypto';
import { type Debt, type DebtOrigin, debtOrigins } from '../contract/gate.ts';
import { firstCharacters, oneLine } from './one-line.ts';

/** One row of the debt file: `task TAB reason [TAB origin]`. */
export interface DebtRow {
  readonly task: string;
  readonly reason: string;
  readonly origin: DebtOrigin;
}

const maxReason = 300;
const maxRows = 60;

/** Reads the rows of a debt file. Two fields mean `accepted`; a row without a task keeps an empty one. */
export function parseDebts(text: string): DebtRow[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split('\t').map((field) => field.trim());
    const [task = '', reason = '', origin = ''] = fields.length === 1 ? ['', ...fields] : fields;
    if (reason === '') return [];
    return [{ task, reason, origin: debtOrigins.find((known) => known === origin) ?? 'accepted' }];
  });
}

export const formatDebts = (rows: readonly DebtRow[]): string =>
  rows.map(({ task, reason, origin }) => `${task}\t${reason}\t${origin}\n`).join('');

/**
 * The rows with one more, which becomes the newest: white space collapsed, at most 300 characters of reason, the newest
 * 60 rows kept. Unchanged for an empty reason and for a row that is there already, whatever its case.
 */
export function addDebt(rows: readonly DebtRow[], { task, reason, origin }: DebtRow): readonly DebtRow[] {
  const row = { task: oneLine(task), reason: firstCharacters(oneLine(reason), maxReason), origin };
  if (row.reason === '' || rows.some((other) => debtId(other) === debtId(row))) return rows;
  return [...rows, row].slice(-maxRows);
}

/** Names a row by what makes it the same row. */
export const debtId = ({ task, reason, origin }: DebtRow): string =>
  createHash('sha256').update(`${origin}\0${task}\0${reason}`.toLowerCase()).digest('hex').slice(0, 12);

/** What the re-check asks of the working folder. */
export interface Tree {
  readonly exists: (path: string) => boolean;
  readonly isCommitted: (path: string) => boolean;
}

/**
 * Looks at every row again. A cross-task deletion is settled when the file that it names is back; everything else stays
 * open until its owner closes it. A claim that a committed file should not be there is marked as a conflict, and never
 * acted on.
 */
export function recheckDebts(
  rows: readonly DebtRow[],
  tree: Tree,
): { open: readonly Debt[]; settled: readonly DebtRow[] } {
  const isSettled = ({ origin, reason }: DebtRow): boolean => {
    const file = namedFile(reason);
    return origin === 'cross-task-deletion' && file !== null && tree.exists(file);
  };
  const open = rows.filter((row) => !isSettled(row));
  return {
    open: open.map((row) => ({ id: debtId(row), ...row, conflict: conflictOf(row, tree) })),
    settled: rows.filter(isSettled),
  };
}

/** A path in backquotes or quotes, else the first word that looks like one. */
function namedFile(reason: string): string | null {
  const quoted = /[`"']([^`"'\s]+)[`"']/.exec(reason)?.[1];
  const word = reason.split(/\s+/).find((part) => /[/.]\w/.test(part));
  return quoted ?? word?.replace(/[),.:;]+$/, '') ?? null;
}

const saysGone = /\b(?:should|must|may|ought to)(?: not|n't| never)\b|\b(?:delete|remove|drop)d?\b/i;

function conflictOf({ reason }: DebtRow, tree: Tree): string | null {
  const file = namedFile(reason);
  return file !== null && saysGone.test(reason) && tree.isCommitted(file)
    ? `${file} is committed; the claim that it should not be there is not acted on`
    : null;
}

/** One sentence about what is owed, for its own field and never for the reason; null when nothing is. */
export function debtNote(open: readonly Debt[]): string | null {
  if (open.length === 0) return null;
  const rows = open.map(({ task, reason, origin }) => `${task || '(no task)'} [${origin}] ${reason}`);
  return `${open.length} open ${open.length === 1 ? 'debt' : 'debts'}: ${rows.join('; ')}`;
}
