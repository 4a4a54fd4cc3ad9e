import { comparisonVersion } from '../contract/comparison.ts';
import { type Aggregate, aggregateScores } from './aggregate-scores.ts';
import type { PlayedCase, PlayedRound } from './played-case.ts';
import { type CaseScore, scoreCase } from './score-case.ts';

/** The result of a comparison, `loopx_jev_sentinel_comparison_v0` with what is ours beside it. */
export interface Comparison {
  readonly schema_version: typeof comparisonVersion;
  readonly matrix_digest: string;
  readonly evaluator: 'structural' | 'recorded' | 'cascade';
  /** The models and wordings that judged, as the receipts name them. */
  readonly model: string;
  readonly question_version: string;
  readonly label_probability_threshold: number;
  readonly execution: 'offline' | 'recorded_replay' | 'live_provider_recording';
  /** ISO 8601, UTC. */
  readonly started_at: string;
  readonly elapsed_seconds: number;
  readonly authority: 'none';
  readonly aggregate: Aggregate;
  readonly cases: readonly CaseScore[];
  /** What a replay must reproduce, without times: the content of a `loopx_jev_sentinel_expected_summary_v0`. */
  readonly deterministic_view: Readonly<Record<string, DeterministicView>>;
  readonly threshold_replay?: readonly ThresholdReplay[];
}

interface DeterministicView extends Pick<CaseScore, 'first_flag_round' | 'first_obligation_round'> {
  readonly typed_repeat_first_round: number | null;
  readonly statuses: readonly string[];
}

interface ThresholdReplay {
  readonly label_probability_threshold: number;
  readonly aggregate: Aggregate;
  readonly cases: readonly Pick<
    CaseScore,
    'case_id' | 'first_flag_round' | 'first_obligation_round' | 'false_flag_rounds'
  >[];
}

/** What of a comparison its plays do not say. */
export type ComparisonFrame = Pick<
  Comparison,
  | 'matrix_digest'
  | 'evaluator'
  | 'label_probability_threshold'
  | 'execution'
  | 'started_at'
  | 'elapsed_seconds'
>;

export interface ScoringTerms {
  /** Adjacent drift verdicts that raise an obligation, 2–20. */
  readonly driftThreshold: number;
  /** More label thresholds, replayed over the same answers. */
  readonly labelThresholds: readonly number[];
}

/** Scores the played cases and writes the result up. Pure. */
export function buildComparison(
  frame: ComparisonFrame,
  played: readonly PlayedCase[],
  { driftThreshold, labelThresholds }: ScoringTerms,
): Comparison {
  const scored = scoreAll(played, driftThreshold);
  const replays = labelThresholds.map((t) => replayAt(played, t, driftThreshold));
  return {
    schema_version: comparisonVersion,
    ...frame,
    model: namesOf(played, ({ model }) => model),
    question_version: namesOf(played, ({ question_version }) => question_version),
    authority: 'none',
    ...scored,
    deterministic_view: Object.fromEntries(scored.cases.map((score) => [score.case_id, viewOf(score)])),
    ...(replays.length === 0 ? {} : { threshold_replay: replays }),
  };
}

const namesOf = (played: readonly PlayedCase[], name: (round: PlayedRound) => string | null): string =>
  [...new Set(played.flatMap(({ rounds }) => rounds.map(name)))]
    .filter((each) => each !== null)
    .toSorted()
    .join(', ');

const viewOf = ({
  first_flag_round,
  first_obligation_round,
  baseline,
  rounds,
}: CaseScore): DeterministicView => ({
  first_flag_round,
  first_obligation_round,
  typed_repeat_first_round: baseline.typed_repeat_first_round,
  statuses: rounds.map(({ status }) => status),
});

function scoreAll(
  played: readonly PlayedCase[],
  driftThreshold: number,
): { aggregate: Aggregate; cases: CaseScore[] } {
  const cases = played.map((each) => scoreCase(each, driftThreshold));
  return { aggregate: aggregateScores(cases, driftThreshold), cases };
}

function replayAt(
  played: readonly PlayedCase[],
  labelThreshold: number,
  driftThreshold: number,
): ThresholdReplay {
  const { aggregate, cases } = scoreAll(
    played.map(({ atThreshold }) => atThreshold(labelThreshold)),
    driftThreshold,
  );
  return {
    label_probability_threshold: labelThreshold,
    aggregate,
    cases: cases.map(({ case_id, first_flag_round, first_obligation_round, false_flag_rounds }) => ({
      case_id,
      first_flag_round,
      first_obligation_round,
      false_flag_rounds,
    })),
  };
}
