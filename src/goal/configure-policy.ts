import { existsSync } from 'node:fs';
import { applyEdits, modify } from 'jsonc-parser';
import type { Failure } from '../contract/failure.ts';
import { nearestName } from '../contract/nearest-name.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import type { RegistryPlace } from './locate-registry.ts';
import { type PolicyChange, type PolicyPlan, planPolicyChange } from './plan-policy-change.ts';
import { positionOf, type Registry, readRegistry } from './registry.ts';
import { lockRegistry } from './registry-lock.ts';
import { replaceRegistry } from './replace-registry.ts';

export interface ConfigureRequest {
  readonly place: RegistryPlace;
  readonly goalId: string;
  readonly change: PolicyChange;
  /** False: only say what would be written. */
  readonly execute: boolean;
  /** Written into a registry that the observer starts. */
  readonly runtimeRoot?: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface Configured extends PolicyPlan {
  readonly written: boolean;
}

/**
 * Looks at, previews or makes a policy change (contract §4, seed). Nothing but the policy block is touched in a
 * registry of LoopX's; the observer's own is started where it is not there. Reasons: those of reading, locking and
 * replacing a registry, and goal_not_found.
 */
export async function configurePolicy(request: ConfigureRequest): Promise<Result<Configured, Failure>> {
  const { change, execute } = request;
  if (!execute || change.kind === 'look') return planOn(request, false);
  const planned = planOn(request, false);
  if (!planned.ok || !planned.value.changed) return planned;
  const release = await lockRegistry(request.place);
  if (!release.ok) return release;
  try {
    const plan = planOn(request, true);
    if (!plan.ok) return plan;
    const replaced = replaceRegistry(request.place.file, plan.value.text);
    return replaced.ok ? plan : replaced;
  } finally {
    await release.value();
  }
}

function planOn(request: ConfigureRequest, written: boolean): Result<Configured, Failure> {
  const registry = readOrStart(request);
  if (!registry.ok) return registry;
  const plan = planPolicyChange(registry.value, request.goalId, request.change);
  return ok({ ...plan, written: written && plan.changed });
}

/** The registry with the goal in it; the observer's own takes a goal that it does not know yet. */
function readOrStart(request: ConfigureRequest): Result<Registry, Failure> {
  const { place, goalId } = request;
  const own = place.owner === 'own';
  if (own && !existsSync(place.file))
    return ok(withGoal({ file: place.file, text: emptyRegistry(request), goals: [] }, goalId));
  const read = readRegistry(place.file);
  if (!read.ok || positionOf(read.value, goalId) >= 0) return read;
  if (own) return ok(withGoal(read.value, goalId));
  const ids = read.value.goals.map((goal) => String(goal['id'] ?? ''));
  const nearest = nearestName(goalId, ids);
  return fail({ reason: 'goal_not_found', file: place.file, field: goalId, ...(nearest ? { nearest } : {}) });
}

function withGoal(registry: Registry, goalId: string): Registry {
  const goal = { id: goalId };
  const edits = modify(registry.text, ['goals', registry.goals.length], goal, {
    formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' },
    isArrayInsertion: true,
  });
  return { ...registry, text: applyEdits(registry.text, edits), goals: [...registry.goals, goal] };
}

const emptyRegistry = ({ runtimeRoot, now }: ConfigureRequest): string => {
  const updatedAt = new Date(now).toISOString().replace(/\.\d+Z$/, '+00:00');
  const registry = {
    schema_version: '0.1',
    updated_at: updatedAt,
    common_runtime_root: runtimeRoot ?? null,
    goals: [],
  };
  return `${JSON.stringify(registry, null, 2)}\n`;
};
