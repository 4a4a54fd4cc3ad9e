import type { Basis } from '../../../contract/basis.ts';
import { asked, askedUnitNames, tidying } from './goal-words.ts';
import type { ChangeClass, Proof } from './proof.ts';

/** What the goal says for a kind of change that was proven cosmetic: the reason to abstain, or null. */
export function goalGuard(basis: Basis, proofs: readonly Proof[]): GuardReason | null {
  const goal = [basis.objective, ...basis.acceptance].join('\n');
  for (const one of new Set(proofs.flatMap((proof) => proof.classes))) {
    const word = tidying.exec(goal)?.[0] ?? wordsFor(one, proofs).exec(goal)?.[0];
    if (word !== undefined)
      return { reason: `guard_${one}`, detail: `the goal speaks of "${word}", and the change is ${one}` };
  }
  const named = proofs.flatMap(namesOf).find((name) => isNamed(goal, name));
  return named ? { reason: 'guard_named', detail: `the goal names ${named.name}` } : null;
}

/** Why a proof does not decide although it holds. */
export interface GuardReason {
  readonly reason: `guard_${ChangeClass}` | 'guard_named';
  readonly detail: string;
}

function wordsFor(one: ChangeClass, proofs: readonly Proof[]): RegExp {
  if (one === 'docstring') return asked.comment;
  const visible = proofs.some((proof) => proof.visibleNames.length > 0 || proof.level === 'L3');
  return one === 'rename' && !visible ? askedUnitNames : asked[one];
}

interface Named {
  readonly name: string;
  readonly visible: boolean;
}

function namesOf(proof: Proof): Named[] {
  const visible = new Set([...proof.visibleNames, ...(proof.asserted ?? [])]);
  return [...new Set([...Object.values(proof.renames), ...visible])].map((name) => ({
    name,
    visible: visible.has(name),
  }));
}

/** A local name counts only where the goal cannot mean the plain English word. */
function isNamed(goal: string, { name, visible }: Named): boolean {
  const word = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (visible) return new RegExp(`(?<![\\w$])${word}(?![\\w$])`).test(goal);
  if (/[_$\d]|[a-z][A-Z]/.test(name)) return new RegExp(`(?<![\\w$])${word}(?![\\w$])`).test(goal);
  return new RegExp(`[\`'"]${word}[\`'"]`).test(goal);
}
