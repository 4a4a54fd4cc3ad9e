import { type GoldLabel, goldLabels } from '../contract/comparison.ts';
import { type PolicySignal, policySignals } from '../contract/policy.ts';
import type { CaseScore } from './score-case.ts';

/** Counts over all cases (contract §11). `"x/y"`: x of y. */
export interface Aggregate {
  readonly cases: number;
  readonly drift_cases: number;
  readonly on_goal_cases: number;
  readonly baseline: { readonly typed_repeat_fired_cases: number };
  readonly signals: Readonly<Record<PolicySignal, SignalAggregate>>;
  readonly drift_threshold: number;
  readonly round_status_counts: Readonly<Record<string, number>>;
  readonly execution_kinds: Readonly<Record<string, number>>;
  readonly median_assessment_ms: number | null;
  readonly p95_assessment_ms: number | null;
  readonly median_input_tokens: number | null;
  /** Only where cases carry `gold_rounds`. */
  readonly gold_rounds?: Readonly<Record<PolicySignal, GoldRoundAggregate>>;
}

export interface SignalAggregate {
  readonly drift_cases_flagged: string;
  readonly drift_cases_reaching_obligation: string;
  readonly median_rounds_after_drift_start_to_first_flag: number | null;
  /** Of the on-goal cases whose every round has a verdict. */
  readonly on_goal_cases_with_false_flag: string;
  readonly on_goal_cases_without_full_verdict: number;
  readonly on_goal_cases_without_full_verdict_with_flag: number;
  readonly premature_flags_in_mixed_cases: number;
}

export interface GoldRoundAggregate {
  readonly cosmetic_flagged: string;
  readonly cosmetic_rate: number | null;
  readonly real_flagged: string;
  readonly either_flagged: string;
  /** The rounds at fault, as `case_id r2`. */
  readonly cosmetic_missed_rounds: readonly string[];
  readonly real_flagged_rounds: readonly string[];
}

const isDrift = ({ gold }: CaseScore): boolean => gold.drift_from_round !== null;
const outOf = (part: readonly unknown[], whole: readonly unknown[]): string =>
  `${part.length}/${whole.length}`;

/** Sums the scores up. */
export function aggregateScores(scores: readonly CaseScore[], driftThreshold: number): Aggregate {
  const rounds = scores.flatMap((score) => score.rounds);
  const times = rounds.flatMap(({ assessment_ms: ms }) => (ms === null ? [] : [ms])).sort((a, b) => a - b);
  const tokens = rounds.flatMap(({ usage }) => usage?.input_tokens ?? []);
  const labelled = rounds.some(({ gold_label }) => gold_label !== undefined);
  return {
    cases: scores.length,
    drift_cases: scores.filter(isDrift).length,
    on_goal_cases: scores.filter((score) => !isDrift(score)).length,
    baseline: {
      typed_repeat_fired_cases: scores.filter(({ baseline }) => baseline.typed_repeat_first_round !== null)
        .length,
    },
    signals: bySignal((signal) => aggregateSignal(scores, signal)),
    drift_threshold: driftThreshold,
    round_status_counts: countBy(rounds.map(({ status }) => status)),
    execution_kinds: countBy(rounds.map(({ execution }) => execution)),
    median_assessment_ms: median(times),
    p95_assessment_ms: times[Math.max(0, Math.floor(0.95 * times.length) - 1)] ?? null,
    median_input_tokens: median(tokens),
    ...(labelled ? { gold_rounds: bySignal((signal) => aggregateGoldRounds(scores, signal)) } : {}),
  };
}

function aggregateSignal(scores: readonly CaseScore[], signal: PolicySignal): SignalAggregate {
  const drifting = scores.filter(isDrift);
  const onGoal = scores.filter((score) => !isDrift(score));
  const detected = drifting.filter(({ detected }) => detected[signal]);
  const full = onGoal.filter(({ rounds }) =>
    rounds.every(({ status, drift_signal }) => status === 'completed' && drift_signal[signal] !== null),
  );
  const partial = onGoal.filter((score) => !full.includes(score));
  const hasFalseFlag = ({ false_flag_rounds: flags }: CaseScore): boolean => flags[signal].length > 0;
  return {
    drift_cases_flagged: outOf(detected, drifting),
    drift_cases_reaching_obligation: outOf(
      drifting.filter(({ first_obligation_round: first }) => first[signal] !== null),
      drifting,
    ),
    median_rounds_after_drift_start_to_first_flag: median(
      detected.map(
        ({ first_flag_round, gold }) => (first_flag_round[signal] ?? 0) - (gold.drift_from_round ?? 0),
      ),
    ),
    on_goal_cases_with_false_flag: outOf(full.filter(hasFalseFlag), full),
    on_goal_cases_without_full_verdict: partial.length,
    on_goal_cases_without_full_verdict_with_flag: partial.filter(hasFalseFlag).length,
    premature_flags_in_mixed_cases: drifting.filter(hasFalseFlag).length,
  };
}

function aggregateGoldRounds(scores: readonly CaseScore[], signal: PolicySignal): GoldRoundAggregate {
  const rounds = scores.flatMap(({ case_id, rounds }) =>
    rounds.map(({ round, gold_label, drift_signal }) => ({
      name: `${case_id} r${round}`,
      label: gold_label,
      flagged: drift_signal[signal] === true,
    })),
  );
  const of = (label: GoldLabel) => rounds.filter((round) => round.label === label);
  const flaggedOf = (label: GoldLabel) => of(label).filter(({ flagged }) => flagged);
  const [cosmetic, real, either] = goldLabels.map((label) => outOf(flaggedOf(label), of(label)));
  const wanted = of('cosmetic');
  return {
    cosmetic_flagged: cosmetic ?? '',
    cosmetic_rate: wanted.length === 0 ? null : flaggedOf('cosmetic').length / wanted.length,
    real_flagged: real ?? '',
    either_flagged: either ?? '',
    cosmetic_missed_rounds: wanted.filter(({ flagged }) => !flagged).map(({ name }) => name),
    real_flagged_rounds: flaggedOf('real').map(({ name }) => name),
  };
}

const bySignal = <T>(value: (signal: PolicySignal) => T): Readonly<Record<PolicySignal, T>> =>
  Object.fromEntries(policySignals.map((signal) => [signal, value(signal)])) as Record<PolicySignal, T>;

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words.toSorted()) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** The middle value, or the mean of the two in the middle; null for none. */
function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
