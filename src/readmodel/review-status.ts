import type { PolicySignal } from '../contract/policy.ts';
import { type AssistBlocker, assistBlockers } from '../goal/assist-blockers.ts';
import { readGoalPolicy, readGoalReview, type Where } from '../goal/goal-review.ts';
import { type OpenObligation, openObligations } from '../goal/open-obligations.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { countUnevaluated } from '../sentinel/count-unevaluated.ts';
import { type ReviewSummary, summarizeReview } from '../sentinel/review-summary.ts';

/** What a goal's policy makes of its receipts and its run history. */
export interface ReviewStatus {
  /** Null in `off`, where nothing is read. */
  readonly external_progress_review: ReviewSummary | null;
  readonly obligations: readonly OpenObligation[];
  readonly assist_blockers: readonly AssistBlocker[];
  readonly invalid_configuration: boolean;
  /** Events whose receipt was judged by a criterion that is no longer today's: their signals are withdrawn. */
  readonly withdrawn: ReadonlySet<string>;
  /** Which judgments the owner wants to go by. */
  readonly signal: PolicySignal;
  /** Reasons that only a look at the run history can give. */
  readonly joined: Readonly<
    Record<'missing' | 'unattributed' | 'identity_conflict' | 'other_revision', number>
  >;
}

/** Reads the policy side of one goal. Nothing is written. */
export function readReviewStatus(loaded: LoadedObserver, where: Where): ReviewStatus {
  const policy = readGoalPolicy(loaded, where);
  const review = readGoalReview(loaded, policy);
  const counts = review ? countUnevaluated(review.rows, review.receipts, review.policy) : null;
  return {
    external_progress_review: review
      ? summarizeReview(review.policy, {
          read_state: review.store.read_state,
          receipts: review.receipts,
          rejected: review.store.rejected.length,
        })
      : null,
    obligations: review ? openObligations(loaded, review) : [],
    assist_blockers: assistBlockers(loaded, policy, review),
    invalid_configuration: policy.policy.invalid_configuration === true,
    withdrawn: new Set(
      review?.receipts.filter((each) => each.criterion_current === false).map(({ event_id }) => event_id),
    ),
    signal: policy.policy.signal,
    joined: {
      missing: counts?.missing ?? 0,
      unattributed: counts?.unattributed ?? 0,
      identity_conflict: counts?.identity_conflict ?? 0,
      other_revision: counts?.other_revision ?? 0,
    },
  };
}
