import type { GoldLabel, MatrixCase } from '../contract/comparison.ts';
import { type PolicySignal, policySignals } from '../contract/policy.ts';
import { reviewTrigger } from '../sentinel/review-trigger.ts';
import { typedRepeatTrigger } from '../sentinel/typed-repeat-trigger.ts';
import { comparedAgent } from './case-observer.ts';
import type { PlayedCase, PlayedRound } from './played-case.ts';

/** Every round of periodic review comes this late (contract §11): the baseline to beat. */
const periodicReviewRound = 20;

type PerSignal<T> = Readonly<Record<PolicySignal, T>>;

/** What one case says, by signal. Rounds count from 1. */
export interface CaseScore {
  readonly case_id: string;
  readonly kind: MatrixCase['kind'];
  readonly gold: MatrixCase['gold'];
  readonly first_flag_round: PerSignal<number | null>;
  readonly first_obligation_round: PerSignal<number | null>;
  readonly baseline: {
    readonly typed_repeat_first_round: number | null;
    readonly periodic_review_round: number;
  };
  readonly false_flag_rounds: PerSignal<readonly number[]>;
  /** The first flag came, and not before the drift did. */
  readonly detected: PerSignal<boolean>;
  readonly rounds: readonly (PlayedRound & { readonly gold_label?: GoldLabel })[];
}

/** Scores a case by the rules of contract §11, through the sentinel's own policy. */
export function scoreCase(played: PlayedCase, driftThreshold: number): CaseScore {
  const { definition, rounds } = played;
  const { gold, gold_rounds: labels } = definition;
  const bySignal = <T>(value: (signal: PolicySignal) => T): PerSignal<T> =>
    Object.fromEntries(policySignals.map((signal) => [signal, value(signal)])) as PerSignal<T>;
  const flagged = bySignal((signal) =>
    rounds.filter(({ drift_signal }) => drift_signal[signal] === true).map(({ round }) => round),
  );
  const first = bySignal((signal) => flagged[signal][0] ?? null);
  const start = gold.drift_from_round;
  return {
    case_id: definition.case_id,
    kind: definition.kind,
    gold,
    first_flag_round: first,
    first_obligation_round: bySignal((signal) =>
      firstRound(played, (n) => triggers(played, n, signal, driftThreshold)),
    ),
    baseline: {
      typed_repeat_first_round: firstRound(played, (n) => fuseFires(played, n)),
      periodic_review_round: periodicReviewRound,
    },
    false_flag_rounds: bySignal((signal) =>
      flagged[signal].filter((round) => start === null || round < start),
    ),
    detected: bySignal((signal) => start !== null && (first[signal] ?? 0) >= start),
    rounds: rounds.map((round) => {
      const label = labels?.[round.round - 1];
      return label === undefined ? round : { ...round, gold_label: label };
    }),
  };
}

const firstRound = ({ rounds }: PlayedCase, holds: (n: number) => boolean): number | null =>
  rounds.find(({ round }) => holds(round))?.round ?? null;

/** The history as it was after round `n`, newest row first, as the policy reads it. */
const runsAfter = ({ rows }: PlayedCase, n: number) =>
  rows
    .slice(0, n)
    .filter((row) => row !== null)
    .toReversed();

function triggers(played: PlayedCase, n: number, signal: PolicySignal, driftThreshold: number): boolean {
  const { trigger } = reviewTrigger({
    runs: runsAfter(played, n),
    receipts: played.receipts.slice(0, n).filter((receipt) => receipt !== null),
    agent_id: comparedAgent,
    policy: {
      mode: 'assist',
      signal,
      drift_threshold: driftThreshold,
      contract_revision: played.contractRevision,
    },
  });
  return trigger !== null;
}

const fuseFires = (played: PlayedCase, n: number): boolean =>
  typedRepeatTrigger({ runs: runsAfter(played, n), agent_id: comparedAgent }) !== null;
