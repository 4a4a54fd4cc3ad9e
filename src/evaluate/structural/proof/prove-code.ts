import type { Budget } from '../budget.ts';
import type { CodeLanguage } from '../code-language.ts';
import type { Binding, NameTable } from '../names/scopes.ts';
import { mayBeReordered } from '../order/may-be-reordered.ts';
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

/** Proves two versions of a file of code equal in meaning, or says what stood against the plainest attempt. */
export function proveCode(
  language: CodeLanguage,
  before: CodeVersion,
  after: CodeVersion,
  budget: Budget,
): CodeProof | Abstention {
  let first: Abstention | undefined;
  for (const attempt of attempts(language, before, after, budget)) {
    const allowed = 'proven' in attempt ? attempt : allowAll(language, before, after, attempt);
    if (!('proven' in attempt) && !('proven' in allowed)) return conclude(before, after, attempt, allowed);
    if ('proven' in allowed) first ??= allowed;
  }
  return budget.expired() ? abstain('over_budget') : (first ?? abstain('shape_differs'));
}

/** The renames of an attempt, each allowed, or why one is not. */
function allowAll(
  language: CodeLanguage,
  before: CodeVersion,
  after: CodeVersion,
  { match, aliases }: Attempt,
): readonly AllowedRename[] | Abstention {
  const tables = { before: before.names, after: after.names };
  const allowed: AllowedRename[] = [];
  for (const pair of match.renamed) {
    const verdict = allowRename(pair.before, pair.after, tables, language.naming);
    if (typeof verdict === 'string')
      return abstain('rename_unsafe', `${pair.before.name} → ${pair.after.name}: ${verdict}`);
    allowed.push(verdict);
  }
  const fault = aliases.map((alias) => unrelated(alias, match)).find((text) => text !== null);
  return fault ? abstain('rename_unsafe', fault) : allowed;
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

/** The ways in which the two versions may match, the plainest first, each with what stands against it. */
function* attempts(
  language: CodeLanguage,
  before: CodeVersion,
  after: CodeVersion,
  budget: Budget,
): Generator<Attempt | Abstention> {
  const one = { root: before.form.root, names: before.names };
  yield attempt(matchForms(one, { root: after.form.root, names: after.names }), [], false);
  const { root, aliases } = takeAliases(after.form.root, after.names, before.names);
  const bindings: ReadonlyMap<Binding, Binding> = new Map(
    aliases.map(({ alias, target }) => [alias, target]),
  );
  if (aliases.length > 0)
    yield attempt(matchForms(one, { root, names: after.names }, bindings), aliases, false);
  if (isOrderRead(before.names) || isOrderRead(after.names)) return;
  if (!mayBeReordered(one, { root, names: after.names })) return;
  for (const key of ['spelling', 'shape'] as const) {
    if (budget.expired()) return;
    const sorted = (node: SyntaxNode, names: NameTable) => ({
      root: sortMovable(node, language.order, names, key),
      names,
    });
    const match = matchForms(sorted(before.form.root, before.names), sorted(root, after.names), bindings);
    yield attempt(match, aliases, true);
  }
}

const attempt = (
  match: Match | Abstention,
  aliases: readonly Alias[],
  reordered: boolean,
): Attempt | Abstention => ('matched' in match ? { match, aliases, reordered } : match);

/** What looks names up may also meet them in the order in which they were declared. */
const isOrderRead = ({ frozen, readsOrder }: NameTable): boolean => frozen !== null || readsOrder;

/** An alias has to keep the very name that its target had before. */
function unrelated({ old, target }: Alias, match: Match): string | null {
  const pair = match.renamed.find(({ after }) => after === target);
  return pair?.before.name === old ? null : `${old} is a new name for ${target.name}`;
}
