import type { Failure } from '../contract/failure.ts';
import type { ProgressReviewPolicy } from '../contract/policy.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { type GoalReview, readGoalPolicy, readGoalReview, type Where } from '../goal/goal-review.ts';
import type { RegistryPlace } from '../goal/locate-registry.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { type ObligationEpisode, replayObligations } from '../sentinel/replay-obligations.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import { type ObligationTruth, readObligationLabels } from './labels.ts';
import { readStatus, type StatusDocument } from './status.ts';

export type LabelledEpisode = ObligationEpisode & { readonly label: ObligationTruth | null };

/** Whose goal it is and what is decided about it; read whatever the policy says. */
export interface GoalHead {
  /** Names the observer in the page's requests. */
  readonly key: string;
  readonly goal_id: string;
  readonly workspace: string;
  readonly state_dir: string;
  /** Of the basis as it is now. */
  readonly contract_revision: string;
  readonly observer_mode: 'off' | 'shadow';
  readonly label_probability_threshold: number;
  readonly signal_rule: 'v1' | 'v2';
  readonly policy: ProgressReviewPolicy;
  readonly registry: RegistryPlace;
}

/** What the receipts and the run history of one goal say. */
export interface GoalEvidence {
  readonly objective: string;
  readonly acceptance: readonly string[];
  readonly status: StatusDocument;
  /** Oldest first, under today's policy; without a pin the basis of today stands in for it. */
  readonly obligation_history: readonly LabelledEpisode[];
}

/** One goal as the dashboard and the report show it. `off`: nothing of it was read. */
export type GoalView = { readonly head: GoalHead } & (
  | { readonly read: 'off' }
  | { readonly read: 'observed'; readonly evidence: GoalEvidence }
);

interface Options {
  readonly all: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly where: Where;
}

/**
 * Reads one goal as `status` does (design §9). A goal whose policy or observer is off is not read at all. A store or a
 * history that cannot be read is a failure, never a view of what was there before.
 * Reasons: those of the registry, and receipts_unreadable.
 */
export async function readGoalView(
  loaded: LoadedObserver,
  options: Options,
): Promise<Result<GoalView, Failure>> {
  const head = readGoalHead(loaded, options.where);
  if (!head.ok) return head;
  const { policy, observer_mode } = head.value;
  if (policy.mode === 'off' || observer_mode === 'off') return ok({ head: head.value, read: 'off' });
  const evidence = await readGoalEvidence(loaded, options);
  return evidence.ok ? ok({ head: head.value, read: 'observed', evidence: evidence.value }) : evidence;
}

/** Reasons: those of the registry. */
export function readGoalHead(loaded: LoadedObserver, where: Where): Result<GoalHead, Failure> {
  const { unreadable, policy, place } = readGoalPolicy(loaded, where);
  return unreadable ? fail(unreadable) : ok(headOf(loaded, policy, place));
}

/** What status says of a goal, with its obligations so far; none of those under a policy that is off. */
export async function readGoalEvidence(
  loaded: LoadedObserver,
  options: Options,
): Promise<Result<GoalEvidence, Failure>> {
  const review = readGoalReview(loaded, readGoalPolicy(loaded, options.where));
  if (review?.history.read_state === 'unavailable')
    return fail({ reason: 'receipts_unreadable', file: loaded.goal.index });
  const status = await readStatus(loaded, options);
  if (status.external_progress_review?.read_state === 'unavailable')
    return fail({ reason: 'receipts_unreadable', file: loaded.goal.receipts });
  const { objective, acceptance } = loaded.basis;
  const obligation_history = review ? historyOf(loaded, review) : [];
  return ok({ objective, acceptance, status, obligation_history });
}

function headOf(
  { observer, config, state, contractRevision }: LoadedObserver,
  policy: ProgressReviewPolicy,
  registry: RegistryPlace,
): GoalHead {
  return {
    key: observer.observer_id,
    goal_id: observer.goal_id,
    workspace: observer.workspace,
    state_dir: state,
    contract_revision: contractRevision,
    observer_mode: config.mode,
    label_probability_threshold: config.minimum_label_probability,
    signal_rule: config.signal_rule,
    policy,
    registry,
  };
}

function historyOf(
  { layout, contractRevision }: LoadedObserver,
  { rows, receipts, policy }: GoalReview,
): LabelledEpisode[] {
  const pinned = { ...policy, contract_revision: policy.contract_revision ?? contractRevision };
  return labelEpisodes(layout, replayObligations({ rows, receipts, policy: pinned }));
}

/** A label on any id that an obligation had speaks of the whole of it; the newest id's counts. */
export function labelEpisodes(
  layout: StateLayout,
  episodes: readonly ObligationEpisode[],
): LabelledEpisode[] {
  const labels = readObligationLabels(layout);
  return episodes.map((episode) => {
    const id = episode.obligation_ids.findLast((each) => labels.has(each));
    return { ...episode, label: (id && labels.get(id)?.truth) || null };
  });
}
