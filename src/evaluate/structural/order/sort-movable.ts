import type { NameTable } from '../names/scopes.ts';
import { type SyntaxNode, withChildren } from '../syntax/syntax-node.ts';

/** A child that may change places with its neighbours, and what must not come between. */
export interface Movable {
  /** Names that it declares; two of a run that declare the same name stay where they are. */
  readonly binds: readonly string[];
  /** Names that are read as soon as it is reached; none of them may be declared by another of the run. */
  readonly reads: readonly string[];
}

/** Which children of a node may change places: null for one that everything else keeps its side of. */
export type OrderRules = (child: SyntaxNode, parent: SyntaxNode) => Movable | null;

/** How two items are told apart while their names may differ: by everything, or by everything but declared names. */
export type SortKey = 'spelling' | 'shape';

/** The tree with every run of movable neighbours in one order that depends on the items alone. */
export function sortMovable(root: SyntaxNode, rules: OrderRules, names: NameTable, key: SortKey): SyntaxNode {
  const keys = new Map<SyntaxNode, string>();
  const visit = (node: SyntaxNode): SyntaxNode => {
    if (node.children.length === 0) return node;
    const children = node.children.map(visit);
    const changed = children.some((child, index) => child !== node.children[index]);
    const sorted = sortRuns(changed ? withChildren(node, children) : node, rules, (child) =>
      keyOf(child, names, key, keys),
    );
    return sorted;
  };
  return visit(root);
}

function sortRuns(node: SyntaxNode, rules: OrderRules, keyOf: (node: SyntaxNode) => string): SyntaxNode {
  const items = node.children.map((child) => (child.kind === ',' ? 'separator' : rules(child, node)));
  if (!items.some((item) => item !== null && item !== 'separator')) return node;
  let children: SyntaxNode[] | undefined;
  for (const run of runsOf(items)) {
    const free = run.filter((index) => isFree(index, run, items));
    for (const part of contiguous(free, run)) {
      if (part.length < 2) continue;
      children ??= [...node.children];
      const nodes = part.map((index) => node.children[index] as SyntaxNode);
      const order = nodes
        .map((child) => ({ child, key: keyOf(child) }))
        .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
      for (const [place, index] of part.entries())
        children[index] = (order[place] as { child: SyntaxNode }).child;
    }
  }
  return children ? withChildren(node, children, node.kind) : node;
}

type Item = Movable | 'separator' | null;

/** Maximal stretches of movable children; separators do not interrupt one. */
function runsOf(items: readonly Item[]): number[][] {
  const runs: number[][] = [[]];
  for (const [index, item] of items.entries())
    if (item === null) runs.push([]);
    else if (item !== 'separator') runs.at(-1)?.push(index);
  return runs.filter((run) => run.length > 1);
}

function isFree(index: number, run: readonly number[], items: readonly Item[]): boolean {
  const item = items[index] as Movable;
  return run.every((other) => {
    if (other === index) return true;
    const { binds } = items[other] as Movable;
    return !binds.some((name) => item.binds.includes(name) || item.reads.includes(name));
  });
}

/** Those of `free` that stand next to each other in `run`: what is not free parts them. */
function contiguous(free: readonly number[], run: readonly number[]): number[][] {
  const parts: number[][] = [[]];
  for (const index of run)
    if (free.includes(index)) parts.at(-1)?.push(index);
    else parts.push([]);
  return parts;
}

function keyOf(node: SyntaxNode, names: NameTable, key: SortKey, keys: Map<SyntaxNode, string>): string {
  const known = keys.get(node);
  if (known !== undefined) return known;
  let text: string;
  if (node.children.length > 0)
    text = `(${node.kind} ${node.children.map((child) => keyOf(child, names, key, keys)).join(' ')})`;
  else if (key === 'shape' && (names.uses.has(node) || names.foreign.has(node))) text = '_';
  else text = JSON.stringify(node.text);
  keys.set(node, text);
  return text;
}
