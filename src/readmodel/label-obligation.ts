import type { Failure } from '../contract/failure.ts';
import { nearestName } from '../contract/nearest-name.ts';
import { fail, type Result } from '../contract/result.ts';
import { readGoalPolicy, readGoalReview, type Where } from '../goal/goal-review.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { replayObligations } from '../sentinel/replay-obligations.ts';
import { checkNote, writeLabel } from './label-event.ts';
import type { ObligationLabel, ObligationTruth } from './labels.ts';

/** The owner's word on one obligation of the run history. */
export interface WantedObligationLabel {
  readonly obligationId: string;
  /** Null takes the label back. */
  readonly truth: ObligationTruth | null;
  readonly note?: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly where: Where;
}

/** Records it, durably. Any id that the obligation had names it. Reasons: usage, obligation_not_found, write_failed. */
export function labelObligation(
  loaded: LoadedObserver,
  { obligationId, truth, note, now, where }: WantedObligationLabel,
): Result<ObligationLabel, Failure> {
  const noted = checkNote(note);
  if (!noted.ok) return noted;
  const ids = knownIds(loaded, where);
  if (!ids.includes(obligationId)) {
    const nearest = nearestName(obligationId, ids);
    return fail({ reason: 'obligation_not_found', field: obligationId, ...(nearest ? { nearest } : {}) });
  }
  return writeLabel(loaded.layout, {
    at: new Date(now).toISOString(),
    obligation_id: obligationId,
    truth,
    ...(note === undefined ? {} : { note }),
  });
}

function knownIds(loaded: LoadedObserver, where: Where): string[] {
  const review = readGoalReview(loaded, readGoalPolicy(loaded, where));
  return review ? replayObligations(review).flatMap(({ obligation_ids }) => obligation_ids) : [];
}
