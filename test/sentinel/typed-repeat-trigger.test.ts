import { describe, expect, it } from 'vitest';
import { typedRepeatTrigger } from '../../src/sentinel/typed-repeat-trigger.ts';
import { acknowledgement, type Json, row } from '../support/history.ts';

const stuck = { result_class: 'unchanged', surface_id: 'quay' };
const typed = (n: number, extra: Json = {}) => row(n, { progress_observation: stuck, ...extra });
const fires = (runs: Json[], agent_id: string | null = 'scout', threshold?: number) =>
  typedRepeatTrigger({ runs, agent_id, ...(threshold ? { threshold } : {}) }) !== null;

describe('the typed repeat fuse', () => {
  it('fires on the same unchanged or blocked claim twice running', () => {
    expect(typedRepeatTrigger({ runs: [typed(3), typed(2), typed(1)], agent_id: 'scout' })).toMatchObject({
      run_count: 2,
      threshold: 2,
      progress_fingerprint: typedRepeatTrigger({ runs: [typed(3), typed(2)] })?.progress_fingerprint,
    });
  });

  it('never fires on claims of advance, however often they repeat', () => {
    const advanced = { progress_observation: { ...stuck, result_class: 'advanced' } };
    expect(fires([5, 4, 3, 2, 1].map((n) => typed(n, advanced)))).toBe(false);
  });

  it('skips leading turns without a claim, and stops at one between two claims', () => {
    const untyped = (n: number) => typed(n, { progress_observation: undefined });
    expect(fires([untyped(4), untyped(3), typed(2), typed(1)])).toBe(true);
    expect(fires([typed(3), untyped(2), typed(1)])).toBe(false);
    const unreadable = { progress_observation: { ...stuck, surface_id: 'no good' } };
    expect(fires([typed(3), typed(2, unreadable), typed(1)])).toBe(false);
  });

  it('counts a turn once, also when an anonymous row retries it', () => {
    expect(fires([typed(2), typed(2)])).toBe(false);
    expect(fires([typed(2, { agent_id: undefined }), typed(2)])).toBe(false);
    expect(
      fires([typed(2, { turn_instance_id: 'no good' }), typed(2, { turn_instance_id: 'no good' })]),
    ).toBe(true);
  });

  it('reads past bookkeeping but not past an acknowledgement, an anonymous one included', () => {
    const spend = { classification: 'quota_slot_spent', progress_observation: undefined };
    expect(fires([typed(3), typed(2, spend), typed(1)])).toBe(true);
    for (const extra of [{}, { agent_id: '' }, { turn_instance_id: 'no good' }, spend])
      expect(
        fires([typed(3), typed(2, { ...extra, autonomous_replan_ack: acknowledgement() }), typed(1)]),
      ).toBe(false);
    const other = { agent_id: 'other', autonomous_replan_ack: acknowledgement() };
    expect(fires([typed(3), typed(2, other), typed(1)])).toBe(true);
  });

  it('keeps agents apart, unless nobody is named', () => {
    const runs = [typed(2), typed(1, { agent_id: 'other' })];
    expect(fires(runs)).toBe(false);
    expect(fires(runs, null)).toBe(true);
  });

  it('takes a threshold of two at least, and nothing that is no number', () => {
    expect(fires([typed(1)], 'scout', 1)).toBe(false);
    expect(fires([typed(2), typed(1)], 'scout', 3)).toBe(false);
    expect(typedRepeatTrigger({ runs: [typed(2), typed(1)], threshold: '2' })).toBeNull();
    expect(typedRepeatTrigger(null as never)).toBeNull();
  });
});
