import { applyEdits, type JSONPath, modify } from 'jsonc-parser';
import type { PolicyMode, PolicySignal, ProgressReviewPolicy } from '../contract/policy.ts';
import { asJsonObject, isJsonObject, type JsonObject } from '../json/json-object.ts';
import { normalizePolicy } from '../sentinel/normalize-policy.ts';
import { blockOf, positionOf, type Registry } from './registry.ts';

/** What a goal owner asks for; nothing at all only looks. */
export type PolicyChange =
  | { readonly kind: 'look' }
  | { readonly kind: 'clear' }
  | {
      readonly kind: 'set';
      readonly mode?: PolicyMode;
      readonly signal?: PolicySignal;
      readonly drift_threshold?: number;
      /** Null takes the pin away. */
      readonly contract_revision?: string | null;
    };

/** A change worked out but not made. */
export interface PolicyPlan {
  /** The goal's `control_plane`, empty where it has none. */
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly policy: ProgressReviewPolicy;
  /** Only where the block is an object afterwards (contract §4). */
  readonly feature_summary: { readonly progress_review?: object };
  readonly changed: boolean;
  /** The registry as it would be written: every byte outside the block as it was. */
  readonly text: string;
}

/**
 * Works out a policy change on a registry that names the goal (contract §4). A partial change keeps the effective
 * values of the other fields, so that one on a malformed block starts from the defaults; keys that are not known stay
 * where they are. Clearing takes the block away, and `control_plane` with it when nothing else is in there.
 */
export function planPolicyChange(registry: Registry, goalId: string, change: PolicyChange): PolicyPlan {
  const position = positionOf(registry, goalId);
  const goal = asJsonObject(registry.goals[position]);
  const before = asJsonObject(goal['control_plane']);
  const block = changedBlock(blockOf(goal), change);
  const { progress_review: _, ...others } = before;
  const after = block === undefined ? others : { ...before, progress_review: block };
  const plane = { path: ['goals', position, 'control_plane'], stored: goal['control_plane'] };
  const text = editText(registry.text, plane, block);
  return {
    before,
    after,
    policy: normalizePolicy({ block }),
    feature_summary: isJsonObject(block) ? { progress_review: summaryOf(block) } : {},
    changed: text !== registry.text,
    text,
  };
}

function changedBlock(stored: unknown, change: PolicyChange): unknown {
  if (change.kind === 'look') return stored;
  if (change.kind === 'clear') return undefined;
  const { kind, ...wanted } = change;
  const { invalid_configuration: _, ...effective } = normalizePolicy({ block: stored });
  return { ...asJsonObject(stored), ...effective, ...wanted };
}

function summaryOf(block: JsonObject): object {
  const { schema_version: _, ...summary } = normalizePolicy({ block });
  return summary;
}

const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' } as const;

interface ControlPlane {
  readonly path: JSONPath;
  /** Undefined where the goal has none. */
  readonly stored: unknown;
}

/** Edits the text in place, because a document written anew would lose how its numbers and keys were written. */
function editText(text: string, { path, stored }: ControlPlane, block: unknown): string {
  const set = (from: string, at: JSONPath, value: unknown): string =>
    applyEdits(from, modify(from, at, value, { formattingOptions }));
  const at = [...path, 'progress_review'];
  const plane = asJsonObject(stored);
  const known = plane['progress_review'];
  if (block === known) return text;
  if (block === undefined) return set(text, Object.keys(plane).length === 1 ? path : at, undefined);
  if (stored !== undefined && !isJsonObject(stored)) return set(text, path, { progress_review: block });
  if (!isJsonObject(known) || !isJsonObject(block)) return set(text, at, block);
  return Object.entries(block)
    .filter(([key, value]) => known[key] !== value)
    .reduce((edited, [key, value]) => set(edited, [...at, key], value), text);
}
