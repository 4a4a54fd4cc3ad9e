import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProgressReviewPolicy } from '../../src/contract/policy.ts';
import { acknowledgesFor } from '../../src/sentinel/lane.ts';
import { openObligation } from '../../src/sentinel/obligation.ts';
import { replayObligations } from '../../src/sentinel/replay-obligations.ts';
import { acknowledgement, claim, type Json, policy, receipt, row, type Verdict } from '../support/history.ts';

const assist = policy() as unknown as ProgressReviewPolicy;

/** Turn 1 is the oldest; a null verdict has no receipt. */
function history(verdicts: readonly (Verdict | null)[], extra: Record<number, Json> = {}) {
  const turns = verdicts.map((_, index) => index + 1);
  return {
    rows: turns.map((n) => row(n, extra[n])).reverse(),
    receipts: verdicts.flatMap((verdict, index) => (verdict ? [receipt(index + 1, verdict)] : [])),
  };
}

describe('replayObligations', () => {
  it('finds where a streak formed and that it is still open', () => {
    const [episode, ...others] = replayObligations({
      ...history(['on_goal', 'drift', 'drift', null, 'drift']),
      policy: assist,
    });

    expect(others).toEqual([]);
    expect(episode).toMatchObject({ opened_turn: 't-3', closed_by: null, turns_open: 2, agent_id: 'scout' });
    expect(episode?.evidence_ids).toHaveLength(2);
  });

  it('ends one with the acknowledgement and says what that changed', () => {
    const ack = { autonomous_replan_ack: acknowledgement({ satisfying_outcomes: ['new_hypothesis'] }) };

    const episodes = replayObligations({
      ...history(['drift', 'drift', 'drift', null], { 4: ack }),
      policy: assist,
    });

    expect(episodes).toMatchObject([
      { opened_turn: 't-2', closed_by: 'acknowledged', outcomes: ['new_hypothesis'], turns_open: 2 },
    ]);
  });

  it('ends one with a newer verdict that is not drift', () => {
    const episodes = replayObligations({ ...history(['drift', 'drift', 'on_goal']), policy: assist });

    expect(episodes).toMatchObject([{ opened_turn: 't-2', closed_by: 'not_due', turns_open: 1 }]);
  });

  it('raises nothing below the threshold, without a pin, or without a claim to bind', () => {
    const turns = history(['drift', 'drift', 'drift']);
    const silent = history(['drift', 'drift', 'drift'], {
      1: { progress_observation: null },
      2: { progress_observation: null },
      3: { progress_observation: null },
    });

    expect(replayObligations({ ...turns, policy: { ...assist, drift_threshold: 4 } })).toEqual([]);
    expect(replayObligations({ ...turns, policy: { ...assist, contract_revision: null } })).toEqual([]);
    expect(replayObligations({ ...silent, policy: assist })).toEqual([]);
  });

  it('knows the fuse of a repeated claim', () => {
    const stuck = { progress_observation: claim('same', { result_class: 'unchanged' }) };

    const episodes = replayObligations({ ...history([null, null], { 1: stuck, 2: stuck }), policy: assist });

    expect(episodes).toMatchObject([{ kind: 'typed_progress_repeat', opened_turn: 't-2', evidence_ids: [] }]);
  });

  it('agrees at every row of any history with the rule that status asks', () => {
    const turn = fc.record({
      verdict: fc.constantFrom(
        'drift' as const,
        'drift' as const,
        'on_goal' as const,
        'abstained' as const,
        null,
      ),
      kind: fc.constantFrom('plain', 'plain', 'plain', 'unchanged', 'silent', 'ack', 'neutral'),
      evidence: fc.constantFrom(null, null, 'shared'),
    });
    const extras: Record<string, Json> = {
      plain: {},
      unchanged: { progress_observation: claim('same', { result_class: 'unchanged' }) },
      silent: { progress_observation: null },
      ack: { autonomous_replan_ack: acknowledgement({ obligation_id: 'replan-0123456789abcdef' }) },
      neutral: { classification: 'quota_slot_spent' },
    };

    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 14 }), (turns) => {
        const rows = turns.map(({ kind }, index) => row(index + 1, extras[kind])).reverse();
        const receipts = turns.flatMap(({ verdict, evidence }, index) =>
          verdict ? [receipt(index + 1, verdict, evidence ? { evidence_id: 'e'.repeat(64) } : {})] : [],
        );

        const episodes = replayObligations({ rows, receipts, policy: assist });

        const asked = rows
          .map((_, at) => at)
          .reverse()
          .filter(
            (at) =>
              !acknowledgesFor(rows[at] ?? {}, 'scout') &&
              rows[at]?.['classification'] !== 'quota_slot_spent',
          )
          .map((at) => openObligation({ rows: rows.slice(at), receipts, agent: 'scout', policy: assist }));
        const ids = [...new Set(asked.flatMap((due) => (due ? [due.obligation_id] : [])))];
        expect([...new Set(episodes.flatMap(({ obligation_ids }) => obligation_ids))].sort()).toEqual(
          ids.sort(),
        );
        expect(episodes.some(({ closed_by }) => closed_by === null)).toBe(
          openObligation({ rows, receipts, agent: 'scout', policy: assist }) !== null,
        );
      }),
      { numRuns: 400 },
    );
  });
});
