import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckLedger, CheckRequest } from '../../src/contract/check.ts';
import { type ActionKind, actionKinds, type Observation } from '../../src/contract/finality.ts';
import { fingerprintOf } from '../../src/finality/fingerprint.ts';
import { judgeFinality } from '../../src/finality/judge-finality.ts';
import { closedDependencyStates, newLedger, ruleOnCheck } from '../../src/finality/rule-on-check.ts';

const now = '2026-01-01T00:00:00.000Z';

const rule = (ledger: CheckLedger, observation: Observation, action: ActionKind) => {
  const request: CheckRequest = { id: 'x', observation, action };
  return ruleOnCheck(ledger, request, fingerprintOf(observation) ?? '', now);
};

const anyTurn = fc.record({
  observation: fc.record({
    // One stage per contract, so that no call contradicts it.
    required: fc.boolean(),
    deliverable_state: fc.constantFrom('in_progress', 'accepted'),
    dependency_state: fc.constantFrom('pending', 'failed', 'running', 'succeeded'),
    semantic_state: fc.record({ cursor: fc.nat(1) }),
  }),
  kind: fc.constantFrom(...actionKinds.filter((kind) => kind !== 'complete')),
});

const observe = ({
  required,
  ...rest
}: { required: boolean } & Pick<
  Observation,
  'deliverable_state' | 'dependency_state' | 'semantic_state'
>): Observation => ({
  ...rest,
  stage: required ? 'needs' : 'free',
  dependency_required_for_next_stage: required,
});

describe('ruleOnCheck', () => {
  it('rules call by call as the rules judge a whole run, up to the first that is broken', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 14 }), (steps) => {
        const turns = steps.map(({ observation, kind }) => ({
          observation: observe(observation),
          action: { kind },
        }));
        const verdict = judgeFinality({ case_id: 'x', turns });
        const failing = 'failed_turn' in verdict ? verdict.failed_turn : undefined;
        let ledger = newLedger('x');
        const decisions = turns.slice(0, (failing ?? turns.length) + 1).map(({ observation, action }) => {
          const ruled = rule(ledger, observation, action.kind);
          ledger = ruled?.ledger ?? ledger;
          return ruled?.ruling.decision;
        });

        const expected = decisions.map((_, index) => {
          if (index !== failing) return 'allow';
          return 'failed_rule' in verdict && verdict.failed_rule === 'must_finish' ? 'must_finish' : 'deny';
        });
        expect(decisions).toEqual(expected);
      }),
    );
  });

  it.each(['pending', 'failed', 'running', 'Queued', 'whatever'])(
    'holds a required dependency that is %s to be open',
    (state) => {
      const observation = observe({
        required: true,
        deliverable_state: 'accepted',
        dependency_state: state,
        semantic_state: {},
      });

      expect(rule(newLedger('x'), observation, 'complete')?.ruling).toMatchObject({
        decision: 'deny',
        reason: 'required_dependency_open',
      });
    },
  );

  it.each([...closedDependencyStates, ' Succeeded '])('holds one that is %s to be closed', (state) => {
    const observation = observe({
      required: true,
      deliverable_state: 'accepted',
      dependency_state: state,
      semantic_state: {},
    });
    const ruled = rule(newLedger('x'), observation, 'complete');

    expect(ruled?.ruling.decision).toBe('allow');
    expect(ruled?.ledger.open).toBe(false);
  });

  it('closes an entry on complete, and on deliver only when nothing required is open', () => {
    const open = observe({
      required: true,
      deliverable_state: 'accepted',
      dependency_state: 'pending',
      semantic_state: {},
    });
    const free = observe({
      required: false,
      deliverable_state: 'accepted',
      dependency_state: 'pending',
      semantic_state: {},
    });

    expect(rule(newLedger('x'), open, 'deliver')?.ledger.open).toBe(true);
    expect(rule(newLedger('x'), free, 'deliver')?.ledger.open).toBe(false);
    expect(rule(newLedger('x'), free, 'advance')?.ledger.open).toBe(true);
  });
});
