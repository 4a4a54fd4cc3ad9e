import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActionKind, actionKinds, type Observation } from '../../src/contract/finality.ts';
import { judgeFinality } from '../../src/finality/judge-finality.ts';

interface TestTurn {
  observation: Observation;
  action: { kind: ActionKind };
}

const seen = (over: Partial<Observation> = {}): Observation => ({
  stage: 'build',
  deliverable_state: 'in_progress',
  dependency_state: 'pending',
  dependency_required_for_next_stage: true,
  semantic_state: {},
  ...over,
});
const turn = (kind: ActionKind, over: Partial<Observation> = {}): TestTurn => ({
  observation: seen(over),
  action: { kind },
});
const judge = (...turns: unknown[]) => judgeFinality({ case_id: 'run', turns });

const anyTurn: fc.Arbitrary<TestTurn> = fc
  .record({
    stage: fc.constantFrom('build', 'ship'),
    deliverable_state: fc.constantFrom('in_progress', 'accepted', 'finished'),
    dependency_state: fc.constantFrom('none', 'pending', 'failed', 'running', 'succeeded'),
    dependency_required_for_next_stage: fc.boolean(),
    semantic_state: fc.record({ cursor: fc.nat(2) }),
  })
  .chain((observation) =>
    fc.constantFrom(...actionKinds).map((kind) => ({ observation, action: { kind } }) satisfies TestTurn),
  );
const anyRun = fc.array(anyTurn, { minLength: 1, maxLength: 12 });

describe('judgeFinality', () => {
  it.each(['work', 'check', 'mechanism_change', 'escalate'] as const)(
    'demands the finish when an accepted deliverable is met with %s',
    (kind) => {
      const accepted = { deliverable_state: 'accepted', dependency_required_for_next_stage: false };

      expect(judge(turn(kind, accepted))).toMatchObject({ passed: false, failed_rule: 'must_finish' });
    },
  );

  it('spends one check per state over the whole run, though other states lie between', () => {
    const other = { semantic_state: { at: 'elsewhere' } };

    expect(judge(turn('check'), turn('check', other), turn('check'))).toEqual({
      passed: false,
      failed_rule: 'identical_repoll',
      failed_turn: 2,
      checks_for_state: 2,
      identical_repolls: 1,
    });
  });

  it('grants a new check when a cursor inside the semantic state moves', () => {
    const run = judge(
      turn('check', { semantic_state: { cursor: 1 } }),
      turn('check', { semantic_state: { cursor: 2 } }),
    );

    expect(run).toEqual({ passed: true, checks_for_state: 1, identical_repolls: 0 });
  });

  it('holds members apart that differ only in a name JavaScript treats specially', () => {
    const one = JSON.parse('{"__proto__": {"cursor": 1}}');
    const two = JSON.parse('{"__proto__": {"cursor": 2}}');

    expect(
      judge(turn('check', { semantic_state: one }), turn('check', { semantic_state: two })),
    ).toMatchObject({
      passed: true,
    });
  });

  it('judges a run of many thousand states', () => {
    const turns = Array.from({ length: 200_000 }, (_, cursor) =>
      turn('check', { semantic_state: { cursor } }),
    );

    expect(judgeFinality({ case_id: 'long', turns })).toEqual({
      passed: true,
      checks_for_state: 1,
      identical_repolls: 0,
    });
  });

  it.each([
    [
      'a number that is no number',
      { semantic_state: { n: Number.NaN } },
      'turns.0.observation.semantic_state',
    ],
    [
      'an infinite number',
      { semantic_state: { n: [Number.POSITIVE_INFINITY] } },
      'turns.0.observation.semantic_state',
    ],
    ['half a surrogate pair', { semantic_state: { n: '\ud800' } }, 'turns.0.observation.semantic_state'],
    ['a list as the semantic state', { semantic_state: [] as never }, 'turns.0.observation.semantic_state'],
    [
      'a required flag that is no boolean',
      { dependency_required_for_next_stage: 1 as never },
      'turns.0.observation.dependency_required_for_next_stage',
    ],
  ])('refuses %s and names the field', (_name, over, field) => {
    expect(judge(turn('work', over))).toEqual({ ok: false, reason: 'invalid_run', field });
  });

  it('refuses a state that contains itself', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;

    expect(judge(turn('work', { semantic_state: loop }))).toMatchObject({ ok: false });
  });

  it('validates every turn before it judges one', () => {
    const stuck = [turn('work'), turn('work')];

    expect(judge(...stuck, { observation: seen(), action: { kind: 'dance' } })).toMatchObject({
      ok: false,
      field: 'turns.2.action.kind',
    });
  });

  it.each([
    [null],
    [[]],
    ['run'],
    [{}],
    [{ case_id: ' ', turns: [turn('work')] }],
    [{ case_id: 'x', turns: [] }],
  ])('gives no verdict for %j', (input) => {
    expect(judgeFinality(input)).toMatchObject({ ok: false });
  });

  it('never lets a volatile field or the order of members change a verdict', () => {
    fc.assert(
      fc.property(anyRun, fc.string(), (turns, noise) => {
        const noisy = turns.map(({ observation, action }) => ({
          action: { ...action, target: noise },
          observation: Object.fromEntries([...Object.entries(observation), ['request_id', noise]].reverse()),
        }));

        expect(judge(...noisy)).toEqual(judge(...turns));
      }),
    );
  });

  it('passes every beginning of a run up to the turn that fails', () => {
    fc.assert(
      fc.property(anyRun, (turns) => {
        const whole = judge(...turns);
        const good = 'failed_turn' in whole ? (whole.failed_turn ?? 0) : turns.length;

        for (let length = 1; length <= good; length += 1)
          expect(judge(...turns.slice(0, length))).toMatchObject({ passed: true });
        if (good < turns.length) expect(judge(...turns.slice(0, good + 1))).toEqual(whole);
      }),
    );
  });

  it('never stops a run whose state changes at every turn before it is accepted', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...actionKinds), { minLength: 1, maxLength: 40 }), (kinds) => {
        const turns = kinds.map((kind, step) => turn(kind, { semantic_state: { step } }));

        expect(judge(...turns)).toMatchObject({ passed: true, identical_repolls: 0 });
      }),
    );
  });
});
