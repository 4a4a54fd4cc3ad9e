import type { NameTable } from '../names/scopes.ts';
import { type SyntaxNode, walk } from '../syntax/syntax-node.ts';

interface NamedTree {
  readonly root: SyntaxNode;
  readonly names: NameTable;
}

/**
 * Whether one form may be the other one with its items in another order. Moving items keeps every token, and a token that
 * names nothing has to meet one of the same spelling: most real changes fail here, before anything is sorted.
 */
export function mayBeReordered(before: NamedTree, after: NamedTree): boolean {
  const one = countTokens(before);
  const other = countTokens(after);
  return covers(one.fixed, other.all) && covers(other.fixed, one.all);
}

type Counts = ReadonlyMap<string, number>;

/** Tokens by spelling but for uses of declared names, and those of them that can meet no other spelling. */
function countTokens({ root, names }: NamedTree): { readonly all: Counts; readonly fixed: Counts } {
  const all = new Map<string, number>();
  const fixed = new Map<string, number>();
  walk(root, (node) => {
    if (node.children.length > 0 || names.uses.has(node)) return;
    all.set(node.text, (all.get(node.text) ?? 0) + 1);
    if (!names.foreign.has(node) && !names.members.has(node))
      fixed.set(node.text, (fixed.get(node.text) ?? 0) + 1);
  });
  return { all, fixed };
}

const covers = (fixed: Counts, all: Counts): boolean =>
  [...fixed].every(([text, count]) => count <= (all.get(text) ?? 0));
