import type { Debt, GateReport } from '../../../contract/gate.ts';
import type { Discovered } from '../../../gate/discover-commands.ts';
import type { TrailRow } from '../../../gate/gate-book.ts';

/** A verdict for people: the word, the reason, what was skipped and by which rule, what is owed, the way on. */
export function describeGate(report: GateReport): string {
  const { verdict, reason, skips, debt_note: note, duration_ms: ms } = report;
  const lines = [`${verdict} after ${(ms / 1_000).toFixed(1)} s`, reason];
  for (const { label, rule, detail } of skips) lines.push(`skipped  ${label}: ${rule} (${detail})`);
  if (note !== null) lines.push(note);
  if (verdict === 'UNOBSERVED')
    lines.push(
      'Let it be seen (gate discover, --cmd, --config), or accept it with --unobserved-ok, or for good with "unobserved": "ok".',
    );
  return lines.join('\n');
}

/** One debt a line, with what must not be acted on. */
export function describeDebts(debts: readonly Debt[]): string {
  if (debts.length === 0) return 'nothing is owed';
  return debts
    .map(({ id, task, origin, reason, conflict }) => {
      const line = `${id}  ${task || '–'} [${origin}] ${reason}`;
      return conflict === null ? line : `${line}\n              conflict: ${conflict}`;
    })
    .join('\n');
}

/** What would be run, and what was left out and why. */
export function describeDiscovered({ commands, left_out: leftOut }: Discovered): string {
  if (commands.length + leftOut.length === 0) return 'there is nothing to run here';
  return [
    ...commands.map(({ label, source }) => `${label}  (${source})`),
    ...leftOut.map(({ label, why }) => `left out  ${label}: ${why}`),
  ].join('\n');
}

export function describeTrail(rows: readonly TrailRow[]): string {
  if (rows.length === 0) return 'no gate has run here';
  return rows.map(({ at, line }) => `${at}  ${line}`).join('\n');
}
