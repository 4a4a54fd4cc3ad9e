import { createHash } from 'node:crypto';
import type { AcceptanceRequirement } from '../contract/acceptance.ts';
import type { CriterionBinding, NormalizedReceipt } from '../contract/receipt.ts';
import { asciiJson, compactSeparators } from '../json/ascii-json.ts';
import type { ReviewedReceipt } from './review-summary.ts';

type CanonicalBinding = Extract<CriterionBinding, { origin: 'goal_acceptance' }>;

/** Whose criteria are wanted: one agent's todo of one goal, and which of its criteria. */
export interface CriterionQuery {
  readonly goal_id: string;
  readonly agent_id: string;
  readonly todo_id: string;
  readonly criterion_ids: readonly string[];
}

/** Criteria in the owner's words, with the binding that says where they come from. */
export interface BoundCriteria {
  readonly binding: CriterionBinding;
  readonly acceptance: readonly string[];
}

const digest = (value: unknown): string =>
  createHash('sha256').update(asciiJson(value, compactSeparators)).digest('hex');

/** Binds the wording of a basis file (contract §10). It is never compared with anything later. */
export const bindOperatorStudy = (acceptance: readonly string[]): BoundCriteria => ({
  binding: { origin: 'operator_study', criteria_sha256: digest(acceptance) },
  acceptance,
});

/** Binds criteria that an owner keeps; null where the owner does not have every one of them, which is never a reason to fall back. */
export function bindGoalAcceptance(
  requirements: readonly AcceptanceRequirement[],
  query: CriterionQuery,
): BoundCriteria | null {
  const { goal_id, agent_id, todo_id, criterion_ids } = query;
  const owned = requirements.find(
    (each) => each.goal_id === goal_id && each.agent_id === agent_id && each.todo_id === todo_id,
  );
  const criteria = criterion_ids.map((id) => owned?.criteria.find(({ criterion_id }) => criterion_id === id));
  if (!owned || criteria.length === 0 || criteria.includes(undefined)) return null;
  const instance = owned.goal_instance_id;
  const binding: CanonicalBinding = {
    origin: 'goal_acceptance',
    goal_id,
    agent_id,
    todo_id,
    contract_digest:
      instance === undefined ? owned.contract_digest : digest([owned.contract_digest, instance]),
    contract_revision: owned.contract_revision,
    todo_semantic_digest: owned.todo_semantic_digest,
    criterion_ids,
    criteria_sha256: digest(criteria),
  };
  return { binding, acceptance: criteria.map((criterion) => criterion?.description ?? '') };
}

/**
 * Projects a receipt against the acceptance of today (contract §10). One that was judged by an owner's criteria which
 * have changed, or cannot be read, is stale and says nothing; its file and the pin stay as they are. Null requirements:
 * the owner could not be read.
 */
export function projectCriterion(
  receipt: NormalizedReceipt,
  requirements: readonly AcceptanceRequirement[] | null,
): ReviewedReceipt {
  const binding = receipt.evidence_scope?.criterion_binding;
  if (binding?.origin !== 'goal_acceptance') return receipt;
  const today = requirements && bindGoalAcceptance(requirements, binding)?.binding;
  if (today && digest(today) === digest(binding)) return { ...receipt, criterion_current: true };
  return {
    ...receipt,
    status: 'stale',
    reason: 'criterion_basis_unavailable',
    drift_signal: { noul: null, choice: null },
    criterion_current: false,
  };
}
