import type { Failure } from '../contract/failure.ts';
import type { ProgressReviewPolicy } from '../contract/policy.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { asJsonObject, isJsonObject, type JsonObject } from '../json/json-object.ts';
import { readJsonFile } from '../json/read-json-file.ts';
import { normalizePolicy } from '../sentinel/normalize-policy.ts';

const MAX_REGISTRY_BYTES = 16_777_216;

/** A goal registry as read: LoopX's own, or the one that an observer keeps in the same shape (contract §3). */
export interface Registry {
  readonly file: string;
  readonly text: string;
  readonly goals: readonly JsonObject[];
}

/** Reads a registry strictly. Reasons: those of `readJsonFile`, and registry_invalid. */
export function readRegistry(file: string): Result<Registry, Failure> {
  const read = readJsonFile(file, MAX_REGISTRY_BYTES);
  if (!read.ok) return read;
  const { value, bytes } = read.value;
  if (!isJsonObject(value)) return fail({ reason: 'registry_invalid', file, detail: 'it holds no object' });
  const { goals } = value as JsonObject;
  if (goals !== undefined && !Array.isArray(goals))
    return fail({ reason: 'registry_invalid', file, field: 'goals', detail: 'it is no list' });
  return ok({ file, text: bytes.toString('utf8'), goals: (goals ?? []).map(asJsonObject) });
}

/** Where a goal stands in its registry; -1 when it does not. The first of two with one id counts, as in LoopX. */
export const positionOf = ({ goals }: Registry, goalId: string): number =>
  goals.findIndex((goal) => goal['id'] === goalId);

/** The stored policy block of a goal, whatever it is; undefined where there is none. */
export const blockOf = (goal: JsonObject): unknown => asJsonObject(goal['control_plane'])['progress_review'];

/** The effective policy of a goal; a registry that does not name the goal has no policy for it. */
export function policyOf(registry: Registry, goalId: string): ProgressReviewPolicy {
  const goal = registry.goals[positionOf(registry, goalId)];
  return normalizePolicy({ block: goal && blockOf(goal) });
}
