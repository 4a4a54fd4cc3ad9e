import type { NameTable } from '../names/scopes.ts';
import { type SyntaxNode, withChildren } from '../syntax/syntax-node.ts';

/** A child that may change places with its neighbours, and what must not come between. */
export interface Movable {
  /** Names that it declares; two of a run that declare the same name stay where they are. */
  readonly binds: readonly string[];
  /** Names that are read as soon as it is reached; none of them may be declared by another of the run. */
  readonly reads: readonly string[];
}

/**
 * Which children of a node may change places: null for one that everything else keeps its side of. `owner` holds the
 * parent: the class of a body, for one.
 */
export type OrderRules = (
  child: SyntaxNode,
  parent: SyntaxNode,
  owner: SyntaxNode | null,
  names: NameTable,
) => Movable | null;

/** How two items are told apart while their names may differ: by everything, or by everything but declared names. */
export type SortKey = 'spelling' | 'shape';

/** The tree with every run of movable neighbours in one order that depends on the items alone. */
export function sortMovable(root: SyntaxNode, rules: OrderRules, names: NameTable, key: SortKey): SyntaxNode {
  const keyOf = (child: SyntaxNode): string => textOf(child, names, key);
  const ruleOf = (child: SyntaxNode, parent: SyntaxNode, owner: SyntaxNode | null) =>
    rules(child, parent, owner, names);
  const visit = (node: SyntaxNode, owner: SyntaxNode | null): SyntaxNode => {
    if (node.children.length === 0) return node;
    const children = node.children.map((child) => visit(child, node));
    const changed = children.some((child, index) => child !== node.children[index]);
    return sortRuns(changed ? withChildren(node, children) : node, owner, ruleOf, keyOf);
  };
  return visit(root, null);
}

type Rule = (child: SyntaxNode, parent: SyntaxNode, owner: SyntaxNode | null) => Movable | null;

function sortRuns(
  node: SyntaxNode,
  owner: SyntaxNode | null,
  rules: Rule,
  keyOf: (node: SyntaxNode) => string,
): SyntaxNode {
  const items = itemsOf(node, owner, rules);
  if (!items.some((item) => item !== null && item !== 'separator')) return node;
  let children: SyntaxNode[] | undefined;
  for (const run of runsOf(items))
    for (const part of freeParts(run, items)) {
      children ??= [...node.children];
      const order = part.map((index) => {
        const child = node.children[index] as SyntaxNode;
        return { child, key: keyOf(child) };
      });
      order.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
      for (const [place, index] of part.entries())
        children[index] = (order[place] as { child: SyntaxNode }).child;
    }
  return children ? withChildren(node, children, node.kind) : node;
}

type Item = Movable | 'separator' | null;

/** What speaks of its neighbour: it stays, and so does what stands next to it. */
const SPEAKS_OF_NEIGHBOUR = /^(?:significant_comment|decorator|attribute)/;

function itemsOf(node: SyntaxNode, owner: SyntaxNode | null, rules: Rule): readonly Item[] {
  const stays = (child: SyntaxNode | undefined) =>
    child !== undefined && SPEAKS_OF_NEIGHBOUR.test(child.kind) && child.kind !== 'attributed';
  return node.children.map((child, index) => {
    if (child.kind === ',') return 'separator';
    if (stays(node.children[index - 1]) || stays(node.children[index + 1])) return null;
    return rules(child, node, owner);
  });
}

/** Maximal stretches of movable children; separators do not interrupt one. */
function runsOf(items: readonly Item[]): number[][] {
  const runs: number[][] = [[]];
  for (const [index, item] of items.entries())
    if (item === null) runs.push([]);
    else if (item !== 'separator') runs.at(-1)?.push(index);
  return runs.filter((run) => run.length > 1);
}

/** The stretches of a run, two items or longer, of which no item sees another one of the run: what does parts them. */
function freeParts(run: readonly number[], items: readonly Item[]): number[][] {
  const bound = new Map<string, number>();
  for (const index of run)
    for (const name of (items[index] as Movable).binds) bound.set(name, (bound.get(name) ?? 0) + 1);
  const parts: number[][] = [[]];
  for (const index of run) {
    const { binds, reads } = items[index] as Movable;
    const isFree =
      binds.every((name) => bound.get(name) === 1) &&
      reads.every((name) => !bound.has(name) || (binds.includes(name) && bound.get(name) === 1));
    if (isFree) parts.at(-1)?.push(index);
    else parts.push([]);
  }
  return parts.filter((part) => part.length > 1);
}

/** A node as text in which equal nodes are equal, with declared names spelled or not. */
function textOf(node: SyntaxNode, names: NameTable, key: SortKey): string {
  const parts: string[] = [];
  const visit = (one: SyntaxNode): void => {
    if (one.children.length > 0) {
      parts.push('(', one.kind);
      for (const child of one.children) visit(child);
      parts.push(')');
    } else
      parts.push(
        key === 'shape' && (names.uses.has(one) || names.foreign.has(one)) ? '_' : JSON.stringify(one.text),
      );
  };
  visit(node);
  return parts.join(' ');
}
