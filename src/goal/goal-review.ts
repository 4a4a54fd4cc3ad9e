import type { AcceptanceRequirement } from '../contract/acceptance.ts';
import type { Failure } from '../contract/failure.ts';
import type { ProgressReviewPolicy } from '../contract/policy.ts';
import type { JsonObject } from '../json/json-object.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { type ReceiptStore, readReceipts } from '../receipts/read-receipts.ts';
import { projectCriterion } from '../sentinel/criterion-binding.ts';
import { defaultPolicy } from '../sentinel/normalize-policy.ts';
import type { Host } from '../sentinel/requirements.ts';
import type { ReviewedReceipt } from '../sentinel/review-summary.ts';
import { claimOf } from '../sentinel/run-row.ts';
import { markedAmong } from '../spool/markers.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { readAcceptance } from './acceptance-owner.ts';
import { locateRegistry, type RegistryPlace } from './locate-registry.ts';
import { policyOf, readRegistry } from './registry.ts';
import { eventIdsOfRows, nameSilentTurns } from './run-events.ts';
import { type RunHistory, readRunHistory } from './run-history.ts';
import { withoutRefusedClaim } from './writeback-record.ts';

/** Where the caller stands, for finding a registry. */
export interface Where {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `--registry`. */
  readonly registry?: string | undefined;
}

/** A goal's policy, and why it could not be read where it could not. */
export interface GoalPolicy {
  readonly place: RegistryPlace;
  readonly policy: ProgressReviewPolicy;
  readonly unreadable?: Failure;
}

/** Everything that policy looks at, read once. */
export interface GoalReview extends GoalPolicy {
  readonly host: Host;
  readonly history: RunHistory;
  /** Newest first. */
  readonly rows: readonly JsonObject[];
  readonly store: ReceiptStore;
  /** The store's receipts, projected against the acceptance of today. */
  readonly receipts: readonly ReviewedReceipt[];
}

/** The policy of an observer's goal; a registry that cannot be read leaves it off. */
export function readGoalPolicy({ observer, layout }: LoadedObserver, where: Where): GoalPolicy {
  const own = layout.registry;
  const { goal_id: goalId, workspace, runtime_root: runtimeRoot } = observer;
  const { env, cwd, registry: named } = where;
  const place = locateRegistry({ named, env, cwd, goalId, workspace, runtimeRoot, own }) ?? {
    file: own,
    owner: 'own',
  };
  const registry = readRegistry(place.file);
  if (registry.ok) return { place, policy: policyOf(registry.value, goalId) };
  const absent = place.owner === 'own' && registry.failure.reason === 'file_missing';
  return { place, policy: defaultPolicy, ...(absent ? {} : { unreadable: registry.failure }) };
}

/** Reads what a policy judges; null in `off`, where nothing is looked at (seed). */
export function readGoalReview(loaded: LoadedObserver, policy: GoalPolicy): GoalReview | null {
  if (policy.policy.mode === 'off') return null;
  const { goal, observer, layout } = loaded;
  const history = readRunHistory(goal.index, observer.goal_id);
  const events = eventIdsOfRows(history.rows, observer.goal_id);
  const store = readReceipts({
    folder: goal.receipts,
    goalId: observer.goal_id,
    wanted: events.filter((id) => id !== null),
    shared: observer.receipts === 'goal_runtime',
    captured: (ids) => markedAmong(nodeIo, layout, ids),
  });
  const named = nameSilentTurns(history.rows, events, store.receipts);
  return {
    ...policy,
    host: hostOf(loaded, policy.place, history.rows),
    history,
    rows: named.rows.map(withoutRefusedClaim).map(withReadClaim),
    store,
    receipts: projectCriteria(loaded, named.receipts),
  };
}

/** The row with its claim read once and for all; one that cannot be read stays as it is. */
function withReadClaim(row: JsonObject): JsonObject {
  const claim = claimOf(row);
  return claim ? { ...row, progress_observation: claim } : row;
}

/** The owner is only asked when a receipt was judged by an owner's criteria. */
function projectCriteria(
  { config, observer }: LoadedObserver,
  receipts: ReceiptStore['receipts'],
): ReviewedReceipt[] {
  let asked: readonly AcceptanceRequirement[] | null | undefined;
  const requirements = (): readonly AcceptanceRequirement[] | null => {
    if (asked !== undefined) return asked;
    const answer = config.acceptance_owner && readAcceptance(config.acceptance_owner, observer.workspace);
    asked = answer?.ok ? answer.value : null;
    return asked;
  };
  return receipts.map((receipt) =>
    receipt.evidence_scope?.criterion_binding.origin === 'goal_acceptance'
      ? projectCriterion(receipt, requirements())
      : receipt,
  );
}

/** Whose index it is: drift writes rows only where it wrote the others. */
function hostOf({ config }: LoadedObserver, place: RegistryPlace, rows: readonly JsonObject[]): Host {
  if (config.host !== 'auto') return config.host;
  const foreign = rows.some((row) => row['run_id'] === undefined);
  return place.owner === 'loopx' || foreign ? 'loopx' : 'generic';
}
