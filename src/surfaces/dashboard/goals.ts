import type { PolicyRequest } from '../../contract/dashboard-request.ts';
import type { Failure } from '../../contract/failure.ts';
import type { ProgressReviewPolicy } from '../../contract/policy.ts';
import { fail, ok, type Result } from '../../contract/result.ts';
import { configurePolicy } from '../../goal/configure-policy.ts';
import { readGoalPolicy, type Where } from '../../goal/goal-review.ts';
import { type LoadedObserver, loadObserver, type ObserverQuery } from '../../observer/load-observer.ts';
import { type GoalView, readGoalView } from '../../readmodel/goal-view.ts';

/** Whose goals the dashboard shows; each is loaded anew for every request, so that nothing is ever cached. */
export interface ServedGoal {
  readonly key: string;
  readonly goal_id: string;
  readonly query: ObserverQuery;
}

export type Reading =
  | { readonly goal: ServedGoal; readonly view: GoalView }
  | { readonly goal: ServedGoal; readonly failure: Failure };

/** Finds the goals at the start; one that cannot be loaded is refused. */
export function openGoals(queries: readonly ObserverQuery[]): Result<ServedGoal[], Failure> {
  const goals: ServedGoal[] = [];
  for (const query of queries) {
    const loaded = loadObserver(query);
    if (!loaded.ok) return loaded;
    const { observer, state, configFile } = loaded.value;
    const { observer_id: key, goal_id } = observer;
    if (goals.every((goal) => goal.key !== key))
      goals.push({ key, goal_id, query: { ...query, stateDir: state, config: configFile } });
  }
  return ok(goals);
}

/** Loads a goal as it is now. Reasons: those of loading; state_not_found when another observer took its place. */
export function loadGoal({ key, query }: ServedGoal): Result<LoadedObserver, Failure> {
  const loaded = loadObserver(query);
  if (!loaded.ok || loaded.value.observer.observer_id === key) return loaded;
  return fail({
    reason: 'state_not_found',
    file: loaded.value.state,
    detail: 'another observer took its place',
  });
}

export async function readGoal(goal: ServedGoal, where: Where, now: number): Promise<Reading> {
  const loaded = loadGoal(goal);
  if (!loaded.ok) return { goal, failure: loaded.failure };
  const view = await readGoalView(loaded.value, { all: false, now, where });
  return view.ok ? { goal, view: view.value } : { goal, failure: view.failure };
}

export interface PolicyOutcome {
  readonly changed: boolean;
  readonly written: boolean;
  readonly changes: readonly {
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/** Previews or writes a policy through the function that `configure-goal` uses. */
export async function changePolicy(
  loaded: LoadedObserver,
  { execute, contract_revision, ...wish }: PolicyRequest,
  { where, now }: { readonly where: Where; readonly now: number },
): Promise<Result<PolicyOutcome, Failure>> {
  const { policy, place } = readGoalPolicy(loaded, where);
  const configured = await configurePolicy({
    place,
    goalId: loaded.observer.goal_id,
    change: { kind: 'set', ...wish, contract_revision: contract_revision || null },
    execute,
    runtimeRoot: loaded.observer.runtime_root,
    now,
  });
  if (!configured.ok) return configured;
  const { changed, written, policy: after } = configured.value;
  return ok({ changed, written, changes: differences(policy, after) });
}

const fields = ['mode', 'signal', 'drift_threshold', 'contract_revision'] as const;

function differences(before: ProgressReviewPolicy, after: ProgressReviewPolicy): PolicyOutcome['changes'] {
  const text = (value: string | number | null): string | null => (value === null ? null : String(value));
  return fields
    .filter((field) => before[field] !== after[field])
    .map((field) => ({ field, before: text(before[field]), after: text(after[field]) }));
}
