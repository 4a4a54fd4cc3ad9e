/** A node of a syntax tree, detached from the parser. Leaves carry text, inner nodes carry children. */
export interface SyntaxNode {
  /** The grammar's name of the node; of a token without a name, its own text. */
  readonly kind: string;
  /** The role in the parent, where the grammar names one. */
  readonly field: string | null;
  readonly text: string;
  readonly children: readonly SyntaxNode[];
  /** Offsets in the source, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/** A leaf that takes the place of `node`. */
export function leafOf(node: SyntaxNode, kind: string, text: string): SyntaxNode {
  return { kind, field: node.field, text, children: [], start: node.start, end: node.end };
}

/** `node` with other children. */
export function withChildren(
  node: SyntaxNode,
  children: readonly SyntaxNode[],
  kind = node.kind,
): SyntaxNode {
  return { kind, field: node.field, text: '', children, start: node.start, end: node.end };
}

/** `node` in another role of its parent. */
export function withField(node: SyntaxNode, field: string | null): SyntaxNode {
  return node.field === field ? node : { ...node, field };
}

/** The first child in the given role. */
export function childIn(node: SyntaxNode, field: string): SyntaxNode | undefined {
  return node.children.find((child) => child.field === field);
}

/** The first child of the given kind. */
export function childOf(node: SyntaxNode, kind: string): SyntaxNode | undefined {
  return node.children.find((child) => child.kind === kind);
}

/** Calls `visit` for every node below and including `node`, parents first. */
export function walk(node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  const waiting = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    visit(next);
    for (let index = next.children.length - 1; index >= 0; index -= 1)
      waiting.push(next.children[index] as SyntaxNode);
  }
}
