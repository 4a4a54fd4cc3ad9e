import { describe, expect, it } from 'vitest';
import type { AcceptanceRequirement } from '../../src/contract/acceptance.ts';
import {
  bindGoalAcceptance,
  bindOperatorStudy,
  projectCriterion,
} from '../../src/sentinel/criterion-binding.ts';
import { normalizeReceipt } from '../../src/sentinel/normalize-receipt.ts';
import { receipt } from '../support/history.ts';

const requirement: AcceptanceRequirement = {
  goal_id: 'harbour',
  goal_instance_id: 'ginst_1',
  agent_id: 'scout',
  todo_id: 'todo-1',
  contract_digest: 'digest',
  contract_revision: 3,
  todo_semantic_digest: 'semantic',
  criteria: [
    { criterion_id: 'c-1', description: 'At most three tries' },
    { criterion_id: 'c-2', description: 'Give up on 404' },
  ],
};
const query = { goal_id: 'harbour', agent_id: 'scout', todo_id: 'todo-1', criterion_ids: ['c-2', 'c-1'] };
const bound = bindGoalAcceptance([requirement], query);

function judgedBy(criterion_binding: unknown) {
  const run = { generated_at: 'x', agent_id: 'scout', todo_id: 'todo-1' };
  const evidence_scope = { criterion_binding, coverage: 'declared_file_net_change', files: ['a.ts'] };
  const read = normalizeReceipt({ receipt: { ...receipt(1), run, evidence_scope } });
  if (!read.ok) throw new Error(`${read.reason} ${read.field}`);
  return read.receipt;
}

describe("an owner's criteria", () => {
  it('take the place of the wording, in the order that was asked for', () => {
    expect(bound?.acceptance).toEqual(['Give up on 404', 'At most three tries']);
  });

  it.each([
    ['another goal', { goal_id: 'other' }],
    ['another agent', { agent_id: 'other' }],
    ['another todo', { todo_id: 'other' }],
    ['a criterion that is not there', { criterion_ids: ['c-1', 'c-9'] }],
    ['no criterion', { criterion_ids: [] }],
  ])('do not bind for %s', (_, wrong) => {
    expect(bindGoalAcceptance([requirement], { ...query, ...wrong })).toBeNull();
  });
});

describe('a receipt judged by them', () => {
  const original = judgedBy(bound?.binding);

  it('is current while they are the same', () => {
    expect(projectCriterion(original, [requirement])).toEqual({ ...original, criterion_current: true });
  });

  it.each([
    ['cannot be read', null],
    ['are gone', []],
    ['have another revision', [{ ...requirement, contract_revision: 4 }]],
    ['have another digest', [{ ...requirement, contract_digest: 'other' }]],
    ['belong to a todo that means something else', [{ ...requirement, todo_semantic_digest: 'other' }]],
    ['belong to a goal that was made anew', [{ ...requirement, goal_instance_id: 'ginst_2' }]],
    [
      'are worded otherwise',
      [
        {
          ...requirement,
          criteria: requirement.criteria.map((each) => ({ ...each, description: 'Other words' })),
        },
      ],
    ],
  ])('is stale and says nothing when they %s', (_, requirements) => {
    expect(projectCriterion(original, requirements)).toEqual({
      ...original,
      status: 'stale',
      reason: 'criterion_basis_unavailable',
      drift_signal: { noul: null, choice: null },
      criterion_current: false,
    });
  });

  it('is left alone when it was judged by a hand-written basis, or states no scope', () => {
    const study = judgedBy(bindOperatorStudy(['At most three tries']).binding);
    expect(projectCriterion(study, null)).toBe(study);
    const { evidence_scope: _, ...scopeless } = study;
    expect(projectCriterion(scopeless, null)).toBe(scopeless);
  });
});
