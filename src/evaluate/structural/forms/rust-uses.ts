import { childIn, type SyntaxNode, withChildren, withField } from '../syntax/syntax-node.ts';

/** `use a::{b, c::d};` is `use a::b;` and `use a::c::d;`. */
export function splitUse(node: SyntaxNode): readonly SyntaxNode[] {
  const tree = childIn(node, 'argument');
  const paths = tree && pathsOf(tree, []);
  if (!paths) return [node];
  return paths.map((parts) => {
    const path = withChildren({ ...tree, field: 'argument' }, parts, 'use_path');
    return withChildren(
      node,
      node.children.map((child) => (child === tree ? path : child)),
    );
  });
}

/** The paths of a tree of names as their leaves; null for a form that is not known. */
function pathsOf(tree: SyntaxNode, prefix: readonly SyntaxNode[]): SyntaxNode[][] | null {
  if (tree.kind === 'use_list' || tree.kind === 'scoped_use_list') {
    const list = tree.kind === 'use_list' ? tree : childIn(tree, 'list');
    const path = tree.kind === 'use_list' ? [] : tree.children.filter((child) => child !== list);
    const inner = [...prefix, ...path.flatMap(leavesOf)];
    const parts = (list?.children ?? []).filter(({ kind }) => !/^[{},]$/.test(kind));
    const found = parts.map((part) => (/comment/.test(part.kind) ? null : pathsOf(part, inner)));
    return list && found.length > 0 && found.every((one) => one !== null) ? found.flat() : null;
  }
  // `a::{self}` names the module alone, `a` a value of that name too: they stay apart.
  return [[...prefix, ...leavesOf(tree)]];
}

function leavesOf(node: SyntaxNode): SyntaxNode[] {
  return node.children.length === 0 ? [withField(node, null)] : node.children.flatMap(leavesOf);
}
