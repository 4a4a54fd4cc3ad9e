import { increments, type Judgments, relations } from '../../contract/receipt.ts';
import type { ChangeHistory } from '../evaluator.ts';
import type { Answers, ChoiceAnswer } from './wire/decode-response.ts';

export interface Judged {
  readonly status: 'completed' | 'abstained';
  readonly reason: 'nothing_decided' | null;
  readonly judgments: Judgments;
}

/**
 * Turns answers into judgments at the label threshold `t` (contract §11): a label below `t` becomes `unknown`; nothing
 * decided, neither a label nor a probability outside the band between 1 − t and t, is an abstention. A state that was
 * there before is never new evidence (design §6): on a revisit a claim of it is withdrawn.
 */
export function judgeAnswers(answers: Answers, t: number, { revisit }: ChangeHistory): Judged {
  const relation = labelAt(answers.choice.relation, relations, t);
  const claimed = labelAt(answers.choice.increment, increments, t);
  const increment = revisit && claimed === 'new_evidence' ? 'unknown' : claimed;
  const { behavior_change, serves_acceptance } = answers.noul;
  const claims = revisit && answers.noul.evidence_increment > 1 - t;
  const evidence_increment = claims ? null : answers.noul.evidence_increment;
  const decided =
    [relation, increment].some((label) => label !== 'unknown') ||
    [behavior_change, serves_acceptance, evidence_increment].some(
      (p) => p !== null && (p >= t || p <= 1 - t),
    );
  if (!decided)
    return { status: 'abstained', reason: 'nothing_decided', judgments: { choice: null, noul: null } };
  return {
    status: 'completed',
    reason: null,
    judgments: {
      choice: { relation, increment },
      noul: { behavior_change, serves_acceptance, evidence_increment },
    },
  };
}

function labelAt<Label extends string>(
  { label, probability }: ChoiceAnswer,
  labels: readonly Label[],
  t: number,
): Label | 'unknown' {
  return (probability >= t && labels.find((each) => each === label)) || 'unknown';
}
