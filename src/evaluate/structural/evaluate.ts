import type { Judgments, NoulJudgment } from '../../contract/receipt.ts';
import type { Evaluation, EvaluationInput, Evaluator, ProofLevel } from '../evaluator.ts';
import { processClock } from './budget.ts';
import { historyFacts } from './history-facts.ts';
import { judgeChange } from './judge-change.ts';

/** Labels of proof levels, not measured frequencies (design §7). */
const LEVEL_PROBABILITIES: Readonly<Record<ProofLevel, NoulJudgment>> = {
  L0: { behavior_change: 0.01, serves_acceptance: 0.01, evidence_increment: 0.01 },
  L1: { behavior_change: 0.01, serves_acceptance: 0.02, evidence_increment: 0.02 },
  L2: { behavior_change: 0.02, serves_acceptance: 0.05, evidence_increment: 0.03 },
  L3: { behavior_change: 0.1, serves_acceptance: 0.1, evidence_increment: 0.05 },
  L4: { behavior_change: 0.02, serves_acceptance: 0.15, evidence_increment: 0.15 },
};

const IDENTITY = {
  evaluator: 'structural',
  model: 'structural-1',
  question_version: 'structural_proof_v1',
} as const;

/**
 * Judges a transition by proof alone, offline: flags it when every changed file is proven to mean what it meant before
 * and the goal does not ask for that kind of change, or when the transition closes a second round trip. Everything
 * else abstains; it never says that a change serves the goal.
 */
export const evaluateStructural: Evaluator = async (input: EvaluationInput): Promise<Evaluation> => {
  const history = historyFacts(input.history);
  if (input.history.cycle) return { ...IDENTITY, ...proven('L4'), facts: history };
  const { level, facts } = await judgeChange(input, processClock);
  return { ...IDENTITY, ...(level === null ? UNPROVEN : proven(level)), facts: [...facts, ...history] };
};

const UNPROVEN = {
  status: 'abstained',
  reason: 'structural_unproven',
  judgments: { choice: { relation: 'unknown', increment: 'unknown' }, noul: null },
} as const;

function proven(level: ProofLevel): { status: 'completed'; reason: null; judgments: Judgments } {
  return {
    status: 'completed',
    reason: null,
    judgments: {
      choice: { relation: 'off_goal', increment: 'no_new_evidence' },
      noul: LEVEL_PROBABILITIES[level],
    },
  };
}
