import { describe, expect, it } from 'vitest';
import { reviewTrigger } from '../../src/sentinel/review-trigger.ts';
import {
  acknowledgement,
  at,
  claim,
  type Json,
  policy,
  receipt,
  row,
  sha,
  type Verdict,
} from '../support/history.ts';

/** Turns by verdict, the newest first; `null` is a turn without a receipt. */
function history(...verdicts: (Verdict | null)[]) {
  const turns = verdicts.map((verdict, index) => ({ verdict, n: verdicts.length - index }));
  return {
    runs: turns.map(({ n }) => row(n)),
    receipts: turns.flatMap(({ verdict, n }) => (verdict === null ? [] : [receipt(n, verdict)])),
    agent_id: 'scout' as string | null,
    policy: policy(),
  };
}
const judge = (input: object) => reviewTrigger(input as Parameters<typeof reviewTrigger>[0]).trigger;

describe('forming', () => {
  it('needs as many adjacent drift verdicts as the policy says', () => {
    expect(judge(history('drift', 'drift'))).toMatchObject({ run_count: 2, consecutive_drift: 2 });
    expect(judge({ ...history('drift', 'drift'), policy: policy({ drift_threshold: 3 }) })).toBeNull();
    expect(judge(history('drift'))).toBeNull();
  });

  it.each(['pending', 'failed', 'abstained', 'stale', 'undecided', 'not_evaluated', null] as const)(
    'is interrupted by a turn that is %s',
    (gap) => {
      expect(judge(history('drift', gap, 'drift'))).toBeNull();
    },
  );

  it('needs a readable claim of the agent to bind', () => {
    const input = history('drift', 'drift');
    const untyped = input.runs.map((run) => ({ ...run, progress_observation: undefined }));
    expect(judge({ ...input, runs: untyped })).toBeNull();
    const [newest, older] = untyped;
    const anonymous = { generated_at: at(9), progress_observation: claim('anon') };
    expect(judge({ ...input, runs: [anonymous, newest, older] })).toBeNull();
  });

  it('never happens off assist, without a pin, or for nobody in particular', () => {
    const input = history('drift', 'drift');
    for (const mode of ['off', 'shadow']) expect(judge({ ...input, policy: policy({ mode }) })).toBeNull();
    expect(judge({ ...input, policy: policy({ contract_revision: null }) })).toBeNull();
    expect(judge({ ...input, policy: policy({ signal: 'both' }) })).toBeNull();
    const runs = [...input.runs, row(0, { agent_id: 'other', turn_instance_id: 'o' })];
    expect(judge({ ...input, agent_id: null, runs })).toBeNull();
  });
});

describe('a formed streak', () => {
  it.each(['pending', 'failed', 'abstained', 'stale', 'undecided', 'not_evaluated', null] as const)(
    'outlives a newer turn that is %s, and counts it',
    (gap) => {
      const reason = gap === null ? 'missing' : gap;
      expect(judge(history(gap, 'drift', 'drift'))?.unevaluated_transitions).toEqual({
        total: 1,
        newer_than_latest_drift: 1,
        by_reason: { [reason]: 1 },
      });
    },
  );

  it('ends with a newer verdict of not drift, not with an older one', () => {
    expect(judge(history('on_goal', 'drift', 'drift'))).toBeNull();
    expect(judge(history('drift', 'drift', 'on_goal'))).not.toBeNull();
  });

  it('binds the newest claim, evaluated or not, and carries every distinct one', () => {
    const trigger = judge(history('pending', 'drift', 'drift'));
    expect(trigger?.progress_baseline.hypothesis_id).toBe('h-3');
    expect(trigger?.baseline_generated_at).toBe(at(3));
    expect(trigger?.progress_window.map(({ hypothesis_id }) => hypothesis_id)).toEqual(['h-3', 'h-2', 'h-1']);
  });

  it('moves its frontier with an isolated newer drift', () => {
    const trigger = judge(history('drift', 'failed', 'drift', 'drift'));
    expect(trigger).toMatchObject({ run_count: 3, consecutive_drift: 2 });
    expect(trigger?.frontier_identity).toBe(`progress_review:${sha('evidence 4')}`);
  });

  it('is reported whole', () => {
    expect(Object.keys(judge(history('drift', 'drift')) ?? {})).toEqual([
      'kind',
      'schema_version',
      'section',
      'signal',
      'run_count',
      'threshold',
      'consecutive_drift',
      'unevaluated_transitions',
      'agent_id',
      'contract_revision',
      'evidence_ids',
      'receipt_ids',
      'latest_generated_at',
      'oldest_counted_generated_at',
      'latest_judgments',
      'progress_baseline',
      'progress_fingerprint',
      'baseline_generated_at',
      'progress_window',
      'frontier_identity',
      'model_authority',
      'effect',
    ]);
  });
});

describe('an acknowledgement', () => {
  const cut = (ack: Json) => {
    const input = history('drift', 'drift', 'drift');
    return judge({ ...input, runs: [...input.runs.slice(0, 1), row(9, ack), ...input.runs.slice(1)] });
  };

  it('of the agent starts the count at zero, on a bookkeeping row too', () => {
    expect(cut({ autonomous_replan_ack: acknowledgement() })).toBeNull();
    expect(cut({ autonomous_replan_ack: acknowledgement(), classification: 'quota_slot_spent' })).toBeNull();
  });

  it.each([
    ['of another agent', { agent_id: 'other', autonomous_replan_ack: acknowledgement() }],
    ['of nobody', { agent_id: '', autonomous_replan_ack: acknowledgement() }],
    ['on a malformed turn', { turn_instance_id: 'no good', autonomous_replan_ack: acknowledgement() }],
    ['that was not accepted', { autonomous_replan_ack: acknowledgement({ accepted: false }) }],
    ['that is only a flag', { autonomous_replan_recorded: true, classification: 'replan_recorded' }],
  ])('%s does not', (_, ack) => {
    expect(cut(ack)).not.toBeNull();
  });
});

describe('joining', () => {
  const last = (receiptOf: Json, rowOf: Json = {}, more: Json[] = []) =>
    judge({
      ...history('drift', 'drift'),
      runs: [row(3, rowOf), row(2), row(1)],
      receipts: [receipt(3, 'on_goal', receiptOf), receipt(2), receipt(1), ...more],
    })?.unevaluated_transitions.by_reason;
  const run = { generated_at: at(3), turn_instance_id: 't-3', agent_id: 'scout', todo_id: null };

  it.each([
    ['a receipt of another agent', { run: { ...run, agent_id: 'other' } }, {}, 'identity_conflict'],
    ['a receipt without an agent', { run: { ...run, agent_id: null } }, {}, 'identity_conflict'],
    ['a receipt of another todo', { run: { ...run, todo_id: 'todo' } }, {}, 'identity_conflict'],
    ['a malformed turn', {}, { turn_instance_id: '' }, 'unattributed'],
    ['contradicting turns', {}, { settlement_identity: { turn_instance_id: 'x' } }, 'unattributed'],
    ['another revision', { contract_revision: sha('other') }, {}, 'other_revision'],
    ['a turn that is not in the receipts', {}, { turn_instance_id: 't-9' }, 'missing'],
  ])('%s leaves the row unevaluated', (_, receiptOf, rowOf, reason) => {
    expect(last(receiptOf, rowOf)).toEqual({ [reason]: 1 });
  });

  it('does not let a clock settle who owns a turn', () => {
    const other = receipt(7, 'drift', { run: { ...run, agent_id: 'other' }, recorded_at: 9e9 });
    expect(last({}, {}, [other])).toEqual({ unattributed: 1 });
  });

  it('takes the later receipt of one turn by the instant of its run, not by its text or its sequence', () => {
    const zone = (generated_at: string, extra: Json) =>
      receipt(8, 'failed', { run: { ...run, generated_at }, ...extra });
    expect(last({ sequence: 9 }, {}, [zone('2026-10-05T10:04:00+01:00', { sequence: 0 })])).toEqual({
      failed: 1,
    });
    expect(last({}, {}, [zone('2026-10-05T09:04:00+01:00', { sequence: 99 })])).toBeUndefined();
  });

  it('by time needs both sides to be unique', () => {
    const untimed = { turn_instance_id: undefined, generated_at: at(3) };
    const keyed = receipt(3, 'on_goal', { run: { ...run, turn_instance_id: null } });
    const joined = (rows: Json[], receipts: Json[]) =>
      judge({
        ...history('drift', 'drift'),
        runs: [...rows, row(2), row(1)],
        receipts: [...receipts, receipt(2), receipt(1)],
      });
    expect(joined([row(3, untimed)], [keyed])).toBeNull();
    expect(joined([row(3, untimed), row(3, untimed)], [keyed])?.unevaluated_transitions.by_reason).toEqual({
      unattributed: 2,
    });
    const rival = { ...keyed, evidence_id: sha('rival') };
    expect(joined([row(3, untimed)], [keyed, rival])?.unevaluated_transitions.by_reason).toEqual({
      unattributed: 1,
    });
  });
});
