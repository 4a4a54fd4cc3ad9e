import type { Failure } from '../contract/failure.ts';
import { ok, type Result } from '../contract/result.ts';
import type { AssistBlocker } from '../goal/assist-blockers.ts';
import { readGoalPolicy, readGoalReview, type Where } from '../goal/goal-review.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { readGoalView } from '../readmodel/goal-view.ts';
import { readLabels } from '../readmodel/labels.ts';
import { assessGoal } from './goal-readiness.ts';
import type { LadderGoal } from './maturity-ladder.ts';

export type ReadGoal = LadderGoal & {
  readonly state_dir: string;
  readonly assist_blockers: readonly AssistBlocker[];
};

/** Reads one goal for the ladder; of one that is off, its policy and nothing else. Reasons: those of the goal view. */
export async function readReadiness(
  loaded: LoadedObserver,
  { where, now }: { readonly where: Where; readonly now: number },
): Promise<Result<ReadGoal, Failure>> {
  const view = await readGoalView(loaded, { all: true, now, where });
  if (!view.ok) return view;
  const { head } = view.value;
  const { goal_id, policy, contract_revision, state_dir } = head;
  const ladder = { goal_id, policy, contract_revision, state_dir };
  const review =
    view.value.read === 'observed' ? readGoalReview(loaded, readGoalPolicy(loaded, where)) : null;
  if (view.value.read === 'off' || review === null)
    return ok({ ...ladder, readiness: null, assist_blockers: [] });
  const { status, obligation_history: episodes } = view.value.evidence;
  const readiness = assessGoal({
    events: status.events,
    receipts: status.receipts_written,
    labels: status.label_counts,
    labelled_at: new Map([...readLabels(loaded.layout)].map(([id, { at }]) => [id, at])),
    agreement: status.label_agreement,
    rows: review.rows,
    receipt_documents: review.receipts,
    policy,
    contract_revision,
    episodes,
  });
  return ok({ ...ladder, readiness, assist_blockers: status.assist_blockers });
}
