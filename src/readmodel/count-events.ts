import type { DriftEvent } from '../contract/event.ts';
import type { Aggregate } from '../drain/aggregate.ts';
import { duplicateTally } from '../spool/tally.ts';
import type { ReviewStatus } from './review-status.ts';

/** Statuses that a capture settles by itself; the newest event carries their running totals. */
const SETTLED_AT_CAPTURE = [
  'no_delta',
  'baseline_reset',
  'branch_changed',
  'overlap',
  'duplicate_evidence',
] as const;

type Counts = Record<string, number>;

const settledAtCapture = (newest: DriftEvent | null): [string, number][] =>
  SETTLED_AT_CAPTURE.map((status) => [status, newest?.totals[status] ?? 0]);

/** Events by their status; those without one event are left out. */
export function countByStatus(
  aggregate: Aggregate,
  newest: DriftEvent | null,
  { queued, duplicates }: { readonly queued: number; readonly duplicates: number },
): Counts {
  const entries = [
    ['queued', queued] as const,
    ...Object.entries(aggregate.counts),
    ...settledAtCapture(newest),
    [duplicateTally, duplicates] as const,
  ];
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

/** Exactly the ten reasons of the seed; the join's four stay 0 unless a policy looks at the run history. */
export function countUnevaluated(
  { counts, undecided }: Aggregate,
  newest: DriftEvent | null,
  { queued, review }: { readonly queued: number; readonly review: ReviewStatus },
): Counts {
  const atCapture = settledAtCapture(newest).reduce((sum, [, count]) => sum + count, 0);
  return {
    pending: queued,
    failed: counts['failed'] ?? 0,
    abstained: counts['abstained'] ?? 0,
    stale: counts['stale'] ?? 0,
    undecided: undecided[review.signal],
    ...review.joined,
    not_evaluated: (counts['not_evaluated'] ?? 0) + atCapture,
  };
}

/** The finer reasons, those of the captures among them. */
export const countReasons = (aggregate: Aggregate, newest: DriftEvent | null): Counts => ({
  ...aggregate.reasons,
  ...Object.fromEntries(settledAtCapture(newest).filter(([, count]) => count > 0)),
});
