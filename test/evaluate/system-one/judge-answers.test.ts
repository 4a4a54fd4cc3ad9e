import { describe, expect, it } from 'vitest';
import { judgeAnswers } from '../../../src/evaluate/system-one/judge-answers.ts';
import type { Answers } from '../../../src/evaluate/system-one/wire/decode-response.ts';

const first = { revisit: false, repetition: 1, cycle: false };
const answers = (
  label: [relation: string, increment: string],
  probability: number,
  noul: [behavior: number, serves: number, increment: number],
): Answers => ({
  choice: { relation: { label: label[0], probability }, increment: { label: label[1], probability } },
  noul: { behavior_change: noul[0], serves_acceptance: noul[1], evidence_increment: noul[2] },
});

describe('judgeAnswers', () => {
  it.each([
    [0.6, 'off_goal'],
    [0.599, 'unknown'],
  ])('keeps a label of probability %d as %s at a threshold of 0.6', (probability, relation) => {
    const { judgments } = judgeAnswers(
      answers(['off_goal', 'new_evidence'], probability, [0.9, 0.5, 0.5]),
      0.6,
      first,
    );

    expect(judgments.choice?.relation).toBe(relation);
  });

  it('abstains when nothing is decided', () => {
    expect(judgeAnswers(answers(['off_goal', 'new_evidence'], 0.5, [0.5, 0.41, 0.59]), 0.6, first)).toEqual({
      status: 'abstained',
      reason: 'nothing_decided',
      judgments: { choice: null, noul: null },
    });
  });

  it('abstains when the model says that it cannot tell', () => {
    expect(judgeAnswers(answers(['unknown', 'unknown'], 0.99, [0.5, 0.5, 0.5]), 0.6, first).status).toBe(
      'abstained',
    );
  });

  it('withdraws a claim of new evidence for a state that was there before', () => {
    const { judgments } = judgeAnswers(answers(['on_goal', 'new_evidence'], 0.9, [0.9, 0.9, 0.9]), 0.6, {
      ...first,
      revisit: true,
    });

    expect(judgments).toEqual({
      choice: { relation: 'on_goal', increment: 'unknown' },
      noul: { behavior_change: 0.9, serves_acceptance: 0.9, evidence_increment: null },
    });
  });

  it('keeps the answer that a state seen before brings no evidence', () => {
    const { judgments } = judgeAnswers(answers(['off_goal', 'no_new_evidence'], 0.9, [0.1, 0.1, 0.1]), 0.6, {
      ...first,
      revisit: true,
    });

    expect(judgments).toMatchObject({
      choice: { increment: 'no_new_evidence' },
      noul: { evidence_increment: 0.1 },
    });
  });
});
