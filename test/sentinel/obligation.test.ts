import { describe, expect, it } from 'vitest';
import type { ProgressReviewPolicy } from '../../src/contract/policy.ts';
import { namesOpenObligation, type Obligation, openObligation } from '../../src/sentinel/obligation.ts';
import { obligationId } from '../../src/sentinel/obligation-id.ts';
import { acknowledgement, claim, type Json, policy, receipt, row, sha } from '../support/history.ts';

const assist = policy() as unknown as ProgressReviewPolicy;
const input = (rows: Json[], receipts: Json[], agent = 'scout', of = assist) => ({
  rows,
  receipts,
  agent,
  policy: of,
});
const turns = (...ns: number[]) => ns.map((n) => row(n));
const drifts = (...ns: number[]) => ns.map((n) => receipt(n));
const open = (...args: Parameters<typeof input>): Obligation | null => openObligation(input(...args));
const stuck = { progress_observation: { result_class: 'unchanged', surface_id: 'quay' } };

describe('the id of an obligation', () => {
  const recorded = {
    kind: 'typed_progress_repeat',
    agent_id: 'worker',
    progress_fingerprint: '7bedd971ab57df4d',
    run_count: 2,
  };

  it('is the one that LoopX prints', () => {
    expect(obligationId({ trigger: recorded, agent_id: 'worker' }).obligation_id).toBe(
      'replan-596012414e043eef',
    );
    const anonymous = { ...recorded, agent_id: null };
    expect(obligationId({ trigger: anonymous, agent_id: null }).obligation_id).toBe(
      'replan-1731039eb40f4b72',
    );
  });

  it('differs once it is re-armed, and ignores what is no obligation id', () => {
    const rearmed = (rearmed_after_obligation_id: unknown) =>
      obligationId({ trigger: recorded, rearmed_after_obligation_id }).obligation_id;
    expect(rearmed(' replan-596012414e043eef ')).not.toBe('replan-596012414e043eef');
    for (const none of [null, 'replan-XYZ', 'replan-596012414E043EEF', 7])
      expect(rearmed(none)).toBe('replan-596012414e043eef');
  });

  it('stays through new looks, bookkeeping and unevaluated turns, and moves with a newer claim', () => {
    const id = open(turns(2, 1), drifts(2, 1))?.obligation_id;
    const spend = row(3, { classification: 'quota_slot_spent', progress_observation: undefined });
    const silent = row(4, { progress_observation: undefined });
    expect(open([spend, ...turns(2, 1)], drifts(2, 1))?.obligation_id).toBe(id);
    expect(open([silent, ...turns(2, 1)], drifts(2, 1))?.obligation_id).toBe(id);
    expect(open(turns(3, 2, 1), drifts(2, 1))?.obligation_id).not.toBe(id);
  });

  it('that was printed earlier for the same streak still names it', () => {
    const early = open(turns(2, 1), drifts(2, 1))?.obligation_id ?? '';
    const pending = open(turns(3, 2, 1), drifts(2, 1))?.obligation_id ?? '';
    const now = input(turns(4, 3, 2, 1), drifts(4, 3, 2, 1));
    for (const id of [early, pending, openObligation(now)?.obligation_id ?? ''])
      expect(namesOpenObligation(id, now)).toBe(true);
    expect(namesOpenObligation('replan-0000000000000000', now)).toBe(false);
    const ack = row(5, { autonomous_replan_ack: acknowledgement({ obligation_id: early }) });
    const rearmed = input([...turns(7, 6), ack, ...turns(2, 1)], drifts(7, 6, 2, 1));
    expect(openObligation(rearmed)?.rearmed_after_obligation_id).toBe(early);
    expect(namesOpenObligation(early, rearmed)).toBe(false);
  });
});

describe('an obligation', () => {
  it('comes from the typed repeat first, and from a review where that is silent', () => {
    const rows = [row(2, stuck), row(1, stuck)];
    expect(open(rows, drifts(2, 1))?.triggers[0].kind).toBe('typed_progress_repeat');
    expect(open(turns(2, 1), drifts(2, 1))?.triggers[0].kind).toBe('external_progress_review_drift');
    expect(open(rows, drifts(2, 1))?.frontier_identity).toMatch(/^progress:/);
  });

  it.each(['off', 'shadow'])('does not exist in %s', (mode) => {
    const of = { ...assist, mode } as ProgressReviewPolicy;
    expect(open(turns(2, 1), drifts(2, 1), 'scout', of)).toBeNull();
    expect(open([row(2, stuck), row(1, stuck)], [], 'scout', of)).toBeNull();
  });

  it('belongs to one agent', () => {
    expect(open(turns(2, 1), drifts(2, 1), 'other')).toBeNull();
    expect(open(turns(2, 1), drifts(2, 1), '')).toBeNull();
  });

  it('carries what the seed promises', () => {
    expect(open(turns(2, 1), drifts(2, 1))).toMatchObject({
      schema_version: 'autonomous_replan_obligation_v0',
      required: true,
      stall_threshold: 2,
      trigger_count: 1,
      todo_actions: [{ action: 'add', role: 'agent', priority: 'P1' }],
      agent_id: 'scout',
      frontier_identity: `progress_review:${sha('evidence 2')}`,
      progress_baseline: claim(2),
      progress_window: [claim(2), claim(1)],
      external_progress_review: { signal: 'noul', run_count: 2, model_authority: 'none' },
      replan_novelty_policy: { writeback: 'typed_semantic_delta' },
    });
  });

  it('says which acceptance it is about rather than that somebody must stop', () => {
    const { recommended_action, todo_actions } = open(turns(2, 1), drifts(2, 1)) as Obligation;
    expect(recommended_action).toContain('acceptance criterion');
    expect(todo_actions[0]?.text).toContain('acceptance criterion');
  });
});
