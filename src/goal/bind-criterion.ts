import type { Basis } from '../contract/basis.ts';
import type { Config } from '../contract/config.ts';
import type { Failure } from '../contract/failure.ts';
import type { Observer } from '../contract/observer.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { type BoundCriteria, bindGoalAcceptance, bindOperatorStudy } from '../sentinel/criterion-binding.ts';
import { readAcceptance } from './acceptance-owner.ts';

/** What a goal's criteria come from. */
export interface CriterionSource {
  readonly basis: Basis;
  readonly config: Pick<Config, 'acceptance_owner'>;
  readonly observer: Pick<Observer, 'goal_id' | 'workspace'>;
}

/**
 * The criteria that work is held against (contract §10): the basis's own wording, or, where it names an acceptance
 * scope, the owner's words in place of it. An owner that cannot be read, or lacks a criterion, is a failure and never
 * a reason to take the basis's wording. Reasons: acceptance_unavailable, and those of reading a file.
 */
export function bindCriterion({ basis, config, observer }: CriterionSource): Result<BoundCriteria, Failure> {
  const scope = basis.acceptance_scope;
  if (scope === undefined) return ok(bindOperatorStudy(basis.acceptance));
  const owner = config.acceptance_owner;
  const unavailable = (detail: string) =>
    fail<Failure>({ reason: 'acceptance_unavailable', field: 'acceptance_scope', detail });
  if (owner === undefined) return unavailable('the configuration names no acceptance_owner');
  const requirements = readAcceptance(owner, observer.workspace);
  if (!requirements.ok) return requirements;
  const { agent_id, todo_id, criterion_ids } = scope;
  const bound = bindGoalAcceptance(requirements.value, {
    goal_id: observer.goal_id,
    agent_id,
    todo_id,
    criterion_ids,
  });
  return bound ? ok(bound) : unavailable(`it has not every criterion of ${agent_id} and ${todo_id}`);
}

/** The same, asked for at most once. */
export function criterionOnce(source: CriterionSource): () => Result<BoundCriteria, Failure> {
  let bound: Result<BoundCriteria, Failure> | undefined;
  return () => {
    bound ??= bindCriterion(source);
    return bound;
  };
}
