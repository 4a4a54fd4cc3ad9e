import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProgressReviewPolicy } from '../../src/contract/policy.ts';
import { openObligation } from '../../src/sentinel/obligation.ts';
import { reviewTrigger } from '../../src/sentinel/review-trigger.ts';
import { acknowledgement, type Json, policy, receipt, row, sha, type Verdict } from '../support/history.ts';

const gaps: Verdict[] = ['pending', 'failed', 'abstained', 'stale', 'undecided', 'not_evaluated'];
const verdict = fc.constantFrom<Verdict>('drift', 'drift', 'drift', 'on_goal', ...gaps);
const verdicts = fc.array(verdict, { minLength: 1, maxLength: 12 });
const threshold = fc.integer({ min: 2, max: 4 });

/** Newest first; turn `n` counts up to the newest. */
const rowsFor = (list: readonly Verdict[]): Json[] => list.map((_, index) => row(list.length - index));
const receiptsFor = (list: readonly Verdict[]): Json[] =>
  list.map((each, index) => receipt(list.length - index, each));
const triggerOf = (runs: Json[], receipts: Json[], drift_threshold: number) =>
  reviewTrigger({ runs, receipts, agent_id: 'scout', policy: policy({ drift_threshold }) }).trigger;

const longestDrift = (list: readonly Verdict[]): number =>
  Math.max(
    0,
    ...list
      .map((each) => (each === 'drift' ? 'd' : '-'))
      .join('')
      .split('-')
      .map((run) => run.length),
  );

/** What another agent does between this one's turns. */
const strangers = fc.array(fc.record({ ack: fc.boolean(), verdict, at: fc.nat(30) }), { maxLength: 6 });

describe('over any history', () => {
  it('no obligation stands without that many adjacent drift verdicts', () => {
    fc.assert(
      fc.property(verdicts, threshold, (list, min) => {
        if (longestDrift(list) >= min) return;
        expect(triggerOf(rowsFor(list), receiptsFor(list), min)).toBeNull();
      }),
    );
  });

  it('an obligation stands when nothing but unevaluated turns is newer than enough adjacent drift', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...gaps), { maxLength: 6 }),
        verdicts,
        threshold,
        (newer, older, min) => {
          const list: Verdict[] = [...newer, ...Array<Verdict>(min).fill('drift'), ...older];
          const trigger = triggerOf(rowsFor(list), receiptsFor(list), min);
          expect(trigger?.unevaluated_transitions.newer_than_latest_drift).toBe(newer.length);
        },
      ),
    );
  });

  it('unevaluated turns on top never dissolve an obligation, nor open one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...gaps), { minLength: 1, maxLength: 5 }),
        verdicts,
        threshold,
        (newer, list, min) => {
          const before = triggerOf(rowsFor(list), receiptsFor(list), min);
          const all = [...newer, ...list];
          const after = triggerOf(rowsFor(all), receiptsFor(all), min);
          expect(after === null).toBe(before === null);
          expect(after?.evidence_ids).toEqual(before?.evidence_ids);
        },
      ),
    );
  });

  it('rows, acknowledgements and receipts of another agent change nothing, wherever they stand', () => {
    fc.assert(
      fc.property(verdicts, strangers, threshold, (list, others, min) => {
        const rows = rowsFor(list);
        const receipts = receiptsFor(list);
        const alone = triggerOf(rows, receipts, min);
        const mixed = [...rows];
        others.forEach(({ ack, at }, index) => {
          const stranger = row(100 + index, {
            agent_id: 'other',
            ...(ack ? { autonomous_replan_ack: acknowledgement() } : {}),
          });
          mixed.splice(at % (mixed.length + 1), 0, stranger);
        });
        const foreign = others.map((each, index) =>
          receipt(100 + index, each.verdict, {
            run: {
              generated_at: 'x',
              turn_instance_id: `t-${100 + index}`,
              agent_id: 'other',
              todo_id: null,
            },
          }),
        );
        expect(triggerOf(mixed, [...foreign, ...receipts], min)).toEqual(alone);
      }),
    );
  });

  it('the order of the receipts changes nothing', () => {
    const shuffled = verdicts.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(receiptsFor(list), { minLength: list.length, maxLength: list.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, threshold, ([list, receipts], min) => {
        expect(triggerOf(rowsFor(list), receipts, min)).toEqual(
          triggerOf(rowsFor(list), receiptsFor(list), min),
        );
      }),
    );
  });

  it('bookkeeping rows change neither the obligation nor its id', () => {
    fc.assert(
      fc.property(
        verdicts,
        fc.array(fc.nat(30), { maxLength: 5 }),
        threshold,
        (list, places, drift_threshold) => {
          const open = (rows: Json[]) =>
            openObligation({
              rows,
              receipts: receiptsFor(list),
              agent: 'scout',
              policy: policy({ drift_threshold }) as unknown as ProgressReviewPolicy,
            });
          const rows = rowsFor(list);
          const before = open(rows);
          for (const place of places)
            rows.splice(place % (rows.length + 1), 0, {
              ...row(1),
              turn_instance_id: `t-${1 + (place % list.length)}`,
              progress_observation: undefined,
              classification: 'quota_slot_spent',
            });
          expect(open(rows)).toEqual(before);
        },
      ),
    );
  });

  it('a drift that shows the same evidence again is never counted twice', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), threshold, (length, min) => {
        const list = Array<Verdict>(length).fill('drift');
        const receipts = receiptsFor(list).map((each) => ({ ...each, evidence_id: sha('the same') }));
        expect(triggerOf(rowsFor(list), receipts, min)).toBeNull();
      }),
    );
  });

  it('the rules take anything at all without throwing', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (runs, receipts, of) => {
        reviewTrigger({ runs, receipts, policy: of });
        reviewTrigger({ runs: [runs], receipts: [receipts], agent_id: 'a', policy: policy() });
        reviewTrigger(runs as never);
      }),
    );
  });
});
