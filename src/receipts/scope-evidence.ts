import type { DriftEvent } from '../contract/event.ts';
import type { CriterionBinding, EvidenceScope } from '../contract/receipt.ts';

const MAX_FILES = 32;
const MAX_PATH_CHARACTERS = 1_024;

/** The scope that a receipt states, or why work under an owner's criteria cannot be judged. */
export type ScopedEvidence =
  | { readonly scope: EvidenceScope | null }
  | { readonly refused: 'run_acceptance_scope_mismatch' | 'evidence_scope_overflow' };

/**
 * States which declared files a receipt speaks of, and by whose criteria (design §4, contract §10). What does not fit
 * into a scope is left out for a hand-written basis; under an owner's criteria it stops the evaluation, because nobody
 * could check later what was judged.
 */
export function scopeEvidence({ run, files }: DriftEvent, binding: CriterionBinding): ScopedEvidence {
  const owned = binding.origin === 'goal_acceptance';
  if (owned && (run?.agent_id !== binding.agent_id || run.todo_id !== binding.todo_id))
    return { refused: 'run_acceptance_scope_mismatch' };
  const changed = files
    .filter(({ role, change }) => role === 'declared' && change !== undefined)
    .map(({ path }) => path);
  if (changed.length <= MAX_FILES && changed.every(canBeStated))
    return { scope: { criterion_binding: binding, coverage: 'declared_file_net_change', files: changed } };
  return owned ? { refused: 'evidence_scope_overflow' } : { scope: null };
}

const canBeStated = (path: string): boolean =>
  [...path].length <= MAX_PATH_CHARACTERS && !path.includes('\\');
