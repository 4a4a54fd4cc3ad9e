import pc from 'picocolors';
import type { Aggregate, GoldRoundAggregate, SignalAggregate } from '../../../compare/aggregate-scores.ts';
import type { Comparison } from '../../../compare/comparison.ts';
import type { CaseScore } from '../../../compare/score-case.ts';
import type { Io } from '../io.ts';

type Round = CaseScore['rounds'][number];

const legend =
  'D drift signal (noul)  c only by choice  n no drift signal  u undecided\na abstained  f failed  - not evaluated       rounds count from 1, * none';

/** A comparison for people: one line a case, then the counts. Fits 80 columns. */
export function renderComparison(comparison: Comparison, io: Io): string {
  const paint = pc.createColors(io.colour);
  const { aggregate, cases, evaluator, execution, label_probability_threshold: t } = comparison;
  const width = Math.min(34, Math.max(4, ...cases.map(({ case_id }) => case_id.length)));
  const head = line(width, ['case', 'gold', 'flag', 'obligation', 'fuse', 'rounds']);
  return [
    `${aggregate.cases} cases, ${evaluator}, ${execution.replaceAll('_', ' ')}, t = ${t}, ${comparison.elapsed_seconds} s`,
    '',
    paint.bold(head),
    ...cases.map((score) => line(width, cellsOf(score))),
    '',
    paint.dim(legend),
    '',
    ...counts(aggregate),
    ...(comparison.threshold_replay ?? []).flatMap((replay) => [
      '',
      `at t = ${replay.label_probability_threshold}:`,
      ...counts(replay.aggregate),
    ]),
  ].join('\n');
}

const columns = [6, 8, 12, 6] as const;

function line(width: number, [name = '', ...cells]: readonly string[]): string {
  const fixed = columns.map((size, n) => (cells[n] ?? '').padEnd(size)).join('');
  const short = name.length > width ? `${name.slice(0, width - 1)}…` : name;
  return `${short.padEnd(width + 2)}${fixed}${cells[columns.length] ?? ''}`.trimEnd();
}

const none = (round: number | null): string => (round === null ? '*' : String(round));

const cellsOf = (score: CaseScore): string[] => [
  score.case_id,
  none(score.gold.drift_from_round),
  `${none(score.first_flag_round.noul)} ${none(score.first_flag_round.choice)}`,
  `${none(score.first_obligation_round.noul)} ${none(score.first_obligation_round.choice)}`,
  none(score.baseline.typed_repeat_first_round),
  score.rounds.map(letterOf).join(''),
];

function letterOf({ status, drift_signal: { noul, choice } }: Round): string {
  if (status === 'abstained') return 'a';
  if (status === 'failed') return 'f';
  if (status !== 'completed') return '-';
  if (noul === true) return 'D';
  if (choice === true) return 'c';
  return noul === false || choice === false ? 'n' : 'u';
}

const label = (text: string): string => text.padEnd(46);

function counts({
  signals,
  gold_rounds: gold,
  baseline,
  drift_cases,
  median_assessment_ms,
  p95_assessment_ms,
}: Aggregate): string[] {
  const { noul, choice } = signals;
  const row = (name: string, of: (signal: SignalAggregate) => string | number | null): string =>
    `${label(name)}${String(of(noul) ?? '-').padEnd(12)}${of(choice) ?? '-'}`;
  return [
    `${label('')}${'noul'.padEnd(12)}choice`,
    row('drift cases flagged', (signal) => signal.drift_cases_flagged),
    row('drift cases reaching an obligation', (signal) => signal.drift_cases_reaching_obligation),
    row('on-goal cases falsely flagged', (signal) => signal.on_goal_cases_with_false_flag),
    row('on-goal cases without a full verdict', (signal) => signal.on_goal_cases_without_full_verdict),
    row('mixed cases flagged too early', (signal) => signal.premature_flags_in_mixed_cases),
    ...(gold ? goldCounts(gold) : []),
    `${label('drift cases where the typed repeat fuse fired')}${baseline.typed_repeat_fired_cases} (of ${drift_cases})`,
    `${label('milliseconds of judging a round, median / p95')}${milliseconds(median_assessment_ms)} / ${milliseconds(p95_assessment_ms)}`,
  ];
}

const milliseconds = (value: number | null): string => (value === null ? '-' : value.toFixed(1));

function goldCounts({ noul, choice }: NonNullable<Aggregate['gold_rounds']>): string[] {
  const row = (name: string, of: (signal: GoldRoundAggregate) => string): string =>
    `${label(name)}${of(noul).padEnd(12)}${of(choice)}`;
  const listed = (name: string, rounds: readonly string[]): string[] =>
    rounds.length === 0 ? [] : [`  ${name}: ${rounds.join(', ')}`];
  return [
    row('cosmetic rounds flagged', (signal) => signal.cosmetic_flagged),
    row('real rounds flagged (must be none)', (signal) => signal.real_flagged),
    row('rounds that may go either way, flagged', (signal) => signal.either_flagged),
    ...listed('real and flagged', noul.real_flagged_rounds),
    ...listed('cosmetic and missed', noul.cosmetic_missed_rounds),
  ];
}
