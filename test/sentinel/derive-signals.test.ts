import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signalRules } from '../../src/contract/receipt.ts';
import { deriveSignals } from '../../src/sentinel/derive-signals.ts';

const noul = (acceptance: number | null, evidence: number | null, threshold: number, rule = signalRules.v2) =>
  deriveSignals({
    judgments: {
      choice: null,
      noul: { behavior_change: 0.99, serves_acceptance: acceptance, evidence_increment: evidence },
    },
    threshold,
    status: 'completed',
    rule,
  } as Parameters<typeof deriveSignals>[0]).noul;

const choice = (relation: string | null, increment: string | null) =>
  deriveSignals({
    judgments: { choice: { relation, increment }, noul: null },
    threshold: 0.6,
    status: 'completed',
    rule: signalRules.v2,
  }).choice;

describe('the noul signal', () => {
  it.each([
    [0.5, 0.5],
    [0.5, 0.2],
    [0, 0.5],
  ])('is drift by v1 and undecided by v2 where the conditions overlap (%f, %f at 0.5)', (a, e) => {
    expect(noul(a, e, 0.5, signalRules.v1 as never)).toBe(true);
    expect(noul(a, e, 0.5)).toBeNull();
  });

  it('compares with 1 - t as doubles give it', () => {
    expect(noul(0.1, 0, 0.9)).toBeNull();
    expect(noul(0.09999999999999998, 0, 0.9)).toBe(true);
    expect(noul(0.30000000000000004, 0.1, 0.7)).toBe(true);
  });

  it('is undecided without one of the two probabilities, whatever the behaviour change', () => {
    expect(noul(null, 0.1, 0.6)).toBeNull();
    expect(noul(0.1, null, 0.6)).toBeNull();
    expect(noul(0.1, 0.1, 0.6)).toBe(true);
  });
});

describe('the choice signal', () => {
  it('is drift only for off goal without new evidence', () => {
    expect(choice('off_goal', 'no_new_evidence')).toBe(true);
    expect(choice('off_goal', 'new_evidence')).toBe(false);
    expect(choice('necessary_prerequisite', 'no_new_evidence')).toBe(false);
    expect(choice('off_goal', 'unknown')).toBeNull();
    expect(choice('unknown', null)).toBeNull();
  });
});

describe('signals', () => {
  it.each(['abstained', 'failed', 'not_evaluated', 'stale', 'queued', null])(
    'are undecided for status %s',
    (status) => {
      const judgments = { choice: { relation: 'off_goal', increment: 'no_new_evidence' }, noul: null };
      expect(deriveSignals({ judgments, threshold: 0.6, status, rule: signalRules.v2 })).toEqual({
        noul: null,
        choice: null,
      });
    },
  );

  it('are undecided for a rule that is not known', () => {
    const judgments = { choice: { relation: 'off_goal', increment: 'no_new_evidence' }, noul: null };
    expect(deriveSignals({ judgments, threshold: 0.6, status: 'completed', rule: 'v3' }).choice).toBeNull();
  });

  it('never throw, whatever is handed in', () => {
    fc.assert(
      fc.property(fc.anything(), (anything) => {
        const signals = deriveSignals(anything as never);
        expect([true, false, null]).toContain(signals.noul);
      }),
    );
  });

  it('of v2 differ from v1 only by turning drift into undecided', () => {
    const p = fc.double({ min: 0, max: 1, noNaN: true });
    const t = fc.oneof(fc.constant(0.5), fc.double({ min: 0.5, max: 1, noNaN: true }));
    fc.assert(
      fc.property(p, p, t, (a, e, threshold) => {
        const [v1, v2] = [noul(a, e, threshold, signalRules.v1 as never), noul(a, e, threshold)];
        expect(v2 === v1 || (v1 === true && v2 === null && threshold === 0.5)).toBe(true);
      }),
    );
  });
});
