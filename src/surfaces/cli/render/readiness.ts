import pc from 'picocolors';
import type { GoalReadiness, ObligationOutcome, SignalReadiness } from '../../../readiness/goal-readiness.ts';
import { ladderClosing, type Stage, type StageEvidence } from '../../../readiness/maturity-ladder.ts';
import type { ReadGoal } from '../../../readiness/read-readiness.ts';
import type { Share } from '../../../readiness/wilson-interval.ts';
import type { Io } from '../io.ts';
import { cut, pad, plain, wrap } from './fit.ts';

const WIDTH = 80;
const NAME_COLUMNS = 21;

/** The goals first, then the ladder, then the sentence that it ends with. */
export function renderReadiness(goals: readonly ReadGoal[], stages: readonly Stage[], io: Io): string {
  const paint = pc.createColors(io.colour);
  return [
    ...wrap(firstLine(stages), WIDTH).map((line) => paint.bold(line)),
    '',
    ...goals.flatMap((goal) => [paint.bold(plain(goal.goal_id)), ...goalLines(goal), '']),
    ...stages.flatMap((stage) => [
      ...wrap(`Stage ${stage.stage}: ${stage.allows}`, WIDTH).map((line) => paint.bold(line)),
      ...stage.evidence.flatMap(evidenceLines),
      `  decides: ${stage.decides}`,
      '',
    ]),
    ...wrap(ladderClosing, WIDTH),
  ].join('\n');
}

/** What is there and what is not, for the stage that shadow leads up to. */
function firstLine([, shadow]: readonly Stage[]): string {
  const count = (state: StageEvidence['state']): number =>
    (shadow?.evidence ?? []).filter((each) => each.state === state).length;
  return `Evidence for stage 1: ${count('met')} met, ${count('missing')} missing, ${count('to_judge')} for people to judge.`;
}

/** A name once, its text beside it on as many lines as it takes. */
const row = (name: string, text: string): string =>
  wrap(plain(text), WIDTH - NAME_COLUMNS - 2)
    .map((line, at) => `  ${pad(at === 0 ? name : '', NAME_COLUMNS)}${line}`)
    .join('\n');

function goalLines({ policy, readiness, assist_blockers: blockers }: ReadGoal): string[] {
  if (readiness === null) return [row('policy', 'off: nothing of this goal is read')];
  const { receipts, labels, unlabelled, days_observed, runs, signals, obligations } = readiness;
  return [
    row('policy', `${policy.mode}, signal ${policy.signal}, threshold ${policy.drift_threshold}`),
    row('observed', `${days_observed} day(s), ${runs} run(s), ${receipts} receipt(s)`),
    row(
      'labelled',
      `drift ${labels.drift}, on goal ${labels.on_goal}, unknown ${labels.unknown}; ${unlabelled} not`,
    ),
    ...(['noul', 'choice'] as const).flatMap((signal) => signalLines(signal, signals[signal])),
    ...leadLines(readiness),
    ...obligations.flatMap(obligationLine),
    ...blockers
      .filter(({ reason }) => !reason.startsWith('policy_'))
      .map(({ reason }) => row('assist is blocked', reason.replaceAll('_', ' '))),
  ];
}

function signalLines(signal: string, readiness: SignalReadiness): string[] {
  const { false_flags, false_flags_of_all: all, on_goal_without_verdict: silent, found } = readiness;
  const raised = Object.entries(readiness.obligations_by_threshold)
    .map(([threshold, count]) => `${threshold}: ${count}`)
    .join('   ');
  return [
    row(`${signal}: false flags`, `${shareWords(all)} of all labelled on goal`),
    row('', `${shareWords(false_flags)} of those with a verdict; ${silent} without`),
    row(`${signal}: drift found`, shareWords(found)),
    row(`${signal}: would raise`, `obligations by threshold   ${raised}`),
  ];
}

function shareWords({ count, of, rate, interval_95 }: Share): string {
  if (rate === null || interval_95 === null) return `${count}/${of}`;
  const percent = (value: number): string => `${Math.round(value * 100)}%`;
  return `${count}/${of} = ${percent(rate)} [${interval_95.map(percent).join('–')}]`;
}

function leadLines({ lead_times: leads }: GoalReadiness): string[] {
  if (leads.length === 0)
    return [row('lead time', 'no labelled drift was flagged; the review comes every 20 runs')];
  const ahead = leads.map(({ runs_before_review }) => runs_before_review).sort((a, b) => a - b);
  const middle = ahead[Math.floor((ahead.length - 1) / 2)];
  return [
    row('lead time', `${middle} run(s) before the 20-run review (median of ${leads.length} labelled drift)`),
  ];
}

function obligationLine({ obligation_id, ended, turns_until_ack, slice_changed, label }: ObligationOutcome) {
  const slice = slice_changed === null ? 'slice: not said' : slice_changed ? 'slice changed' : 'slice kept';
  const how = turns_until_ack === null ? ended.replaceAll('_', ' ') : `ACK after ${turns_until_ack} turn(s)`;
  return [row('obligation', `${obligation_id}: ${how}; ${slice}; ${label ?? 'not labelled'}`)];
}

const marks = { met: 'met', missing: 'missing', to_judge: 'to judge' } as const;
const MARK_COLUMNS = 10;

function evidenceLines({ what, state, detail }: StageEvidence): string[] {
  const beside = ' '.repeat(MARK_COLUMNS + 2);
  const indented = wrap(plain(detail), WIDTH - beside.length).map((line) => `${beside}${line}`);
  return [cut(`  ${pad(marks[state], MARK_COLUMNS)}${plain(what)}`, WIDTH), ...indented];
}
