import type { Budget } from '../budget.ts';
import type { CodeLanguage } from '../code-language.ts';
import type { Binding, NameTable } from '../names/scopes.ts';
import { sortMovable } from '../order/sort-movable.ts';
import type { Form } from '../syntax/form.ts';
import type { SyntaxNode } from '../syntax/syntax-node.ts';
import { type Alias, takeAliases } from './aliases.ts';
import { differenceClasses, layoutDifference } from './difference-classes.ts';
import { type ForeignRename, type Match, matchForms } from './match-forms.ts';
import { type Abstention, abstain, type ChangeClass, type Proof, weakest } from './proof.ts';
import { type AllowedRename, allowRename } from './rename-policy.ts';

/** One side of a file, ready to be compared. */
export interface CodeVersion {
  readonly text: string;
  readonly form: Form;
  readonly names: NameTable;
}

/** A proof about one file, with what still has to hold in the other declared files. */
export interface CodeProof extends Proof {
  readonly allowed: readonly AllowedRename[];
  readonly foreign: readonly ForeignRename[];
  /** Old names that an alias keeps. */
  readonly kept: readonly string[];
}

interface Attempt {
  readonly match: Match;
  readonly aliases: readonly Alias[];
  readonly reordered: boolean;
}

/** Proves two versions of a file of code equal in meaning, or says what stands against it. */
export function proveCode(
  language: CodeLanguage,
  before: CodeVersion,
  after: CodeVersion,
  budget: Budget,
): CodeProof | Abstention {
  const attempt = firstMatch(language, before, after, budget);
  if ('proven' in attempt) return attempt;
  const { match, aliases, reordered } = attempt;
  const tables = { before: before.names, after: after.names };
  const allowed: AllowedRename[] = [];
  for (const pair of match.renamed) {
    const verdict = allowRename(pair.before, pair.after, tables, language.naming);
    if (typeof verdict === 'string')
      return abstain('rename_unsafe', `${pair.before.name} → ${pair.after.name}: ${verdict}`);
    allowed.push(verdict);
  }
  const fault = aliases.map((alias) => unrelated(alias, match)).find((text) => text !== null);
  if (fault) return abstain('rename_unsafe', fault);
  return conclude(before, after, { match, aliases, reordered }, allowed);
}

function conclude(
  before: CodeVersion,
  after: CodeVersion,
  attempt: Attempt,
  allowed: readonly AllowedRename[],
): CodeProof {
  const classes: ChangeClass[] = differenceClasses(before, after);
  const renames = Object.fromEntries(allowed.map(({ from, to }) => [from, to]));
  if (attempt.match.renamed.length > 0 || attempt.match.foreign.length > 0 || attempt.aliases.length > 0)
    classes.push('rename');
  if (attempt.reordered) classes.push('order');
  const layout =
    attempt.reordered || attempt.aliases.length > 0
      ? 'none'
      : layoutDifference(
          before,
          after,
          (from, to) =>
            renames[from] === to || attempt.match.foreign.some((one) => one.from === from && one.to === to),
        );
  if (layout === 'tokens' || (layout === 'space' && classes.length > 0)) classes.push('format');
  if (classes.length === 0) classes.push('whitespace');
  const levels = allowed.map(({ level }) => level);
  return {
    proven: true,
    level: weakest([
      classes.includes('whitespace') ? 'L0' : 'L1',
      ...levels,
      ...(attempt.reordered ? (['L2'] as const) : []),
      ...(attempt.match.foreign.length > 0 || attempt.aliases.length > 0 ? (['L3'] as const) : []),
    ]),
    classes,
    renames,
    visibleNames: allowed.filter(({ reach }) => reach !== 'unit').map(({ to }) => to),
    allowed,
    foreign: attempt.match.foreign,
    kept: attempt.aliases.map(({ old }) => old),
  };
}

/** The first way in which the two versions match; without one, what stood against the plainest. */
function firstMatch(
  language: CodeLanguage,
  before: CodeVersion,
  after: CodeVersion,
  budget: Budget,
): Attempt | Abstention {
  const one = { root: before.form.root, names: before.names };
  const other = { root: after.form.root, names: after.names };
  const plain = matchForms(one, other);
  if ('matched' in plain) return { match: plain, aliases: [], reordered: false };
  const { root, aliases } = takeAliases(after.form.root, after.names, before.names);
  const bindings: ReadonlyMap<Binding, Binding> = new Map(
    aliases.map(({ alias, target }) => [alias, target]),
  );
  if (aliases.length > 0) {
    const match = matchForms(one, { root, names: after.names }, bindings);
    if ('matched' in match) return { match, aliases, reordered: false };
  }
  for (const key of ['spelling', 'shape'] as const) {
    if (budget.expired()) return abstain('over_budget');
    const sorted = (node: SyntaxNode, names: NameTable) => ({
      root: sortMovable(node, language.order, names, key),
      names,
    });
    const match = matchForms(sorted(before.form.root, before.names), sorted(root, after.names), bindings);
    if ('matched' in match) return { match, aliases, reordered: true };
  }
  return plain;
}

/** An alias has to keep the very name that its target had before. */
function unrelated({ old, target }: Alias, match: Match): string | null {
  const pair = match.renamed.find(({ after }) => after === target);
  return pair?.before.name === old ? null : `${old} is a new name for ${target.name}`;
}
