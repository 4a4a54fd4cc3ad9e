import type { GateCommand, GateEvent, GateFailure, GateSkip } from '../contract/gate.ts';
import { lastCharacters } from './one-line.ts';
import type { ProcessEnd } from './run-process.ts';

/** What the sections of one gate leave behind: the events for the tally, and the details that go with them. */
export interface GateRecord {
  readonly events: GateEvent[];
  readonly failures: GateFailure[];
  readonly skips: GateSkip[];
}

export const newRecord = (): GateRecord => ({ events: [], failures: [], skips: [] });

/** What a command's end means. Only the exit status decides; what a command prints decides nothing. */
export type Outcome =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly exit: number }
  | { readonly kind: 'skip'; readonly rule: GateSkip['rule']; readonly detail: string };

const maxTail = 400;

export function judgeEnd(
  end: ProcessEnd,
  { skipExit, exit127 }: Pick<GateCommand, 'skipExit' | 'exit127'>,
): Outcome {
  if (end.kind === 'spawn_error') return { kind: 'skip', rule: 'spawn_error', detail: end.code };
  if (end.kind === 'timeout') return { kind: 'skip', rule: 'timeout', detail: `after ${end.afterMs} ms` };
  if (end.kind === 'signal') return { kind: 'skip', rule: 'signal', detail: end.signal };
  if (end.exit === 0) return { kind: 'pass' };
  if (skipExit.includes(end.exit)) return { kind: 'skip', rule: 'declared_skip', detail: `exit ${end.exit}` };
  if (end.exit === 127 && exit127 === 'skip')
    return { kind: 'skip', rule: 'exit_127', detail: 'exit 127 says that a program was not found' };
  return { kind: 'fail', exit: end.exit };
}

/** Records an attempt and what came of it. A skip is told as a warning, so that it shows on every verdict. */
export function recordOutcome(
  record: GateRecord,
  { label, runner, output }: { readonly label: string; readonly runner: string; readonly output: Uint8Array },
  outcome: Outcome,
): void {
  record.events.push(['attempted', runner]);
  if (outcome.kind === 'skip') {
    if (outcome.rule === 'spawn_error') record.events.push(['spawn_failure', runner]);
    recordSkip(record, { label, rule: outcome.rule, detail: outcome.detail });
    return;
  }
  record.events.push(['observed']);
  if (outcome.kind === 'pass') record.events.push(['ran', label]);
  else recordFailure(record, { label, exit: outcome.exit, output, rank: 1 });
}

export function recordSkip(record: GateRecord, skip: GateSkip): void {
  record.skips.push(skip);
  record.events.push(['warn', `${skip.label} was skipped by ${skip.rule}: ${skip.detail}`]);
}

/** A failure of a command that ran. Rank 0 is one that a probe saw. */
export function recordFailure(
  record: GateRecord,
  {
    label,
    exit,
    output,
    rank,
    what = `exit ${exit}`,
  }: {
    readonly label: string;
    readonly exit: number | null;
    readonly output: Uint8Array;
    readonly rank: 0 | 1;
    readonly what?: string;
  },
): void {
  const tail = lastCharacters(output, maxTail);
  const text = `${label}: ${what}${tail === '' ? '' : ` — ${tail}`}`;
  record.events.push(rank === 0 ? ['fail_observed', text, 0] : ['fail', text]);
  record.failures.push({ label, text, rank, observed: true, exit, signal: null, tail });
}
