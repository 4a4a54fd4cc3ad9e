import type { CodeVersion } from '../proof/prove-code.ts';
import { childIn, type SyntaxNode } from '../syntax/syntax-node.ts';

/** What a module holds at its top: constants by their literal, functions and classes. */
export interface ModuleContents {
  readonly constants: ReadonlyMap<string, SyntaxNode>;
  readonly callables: ReadonlySet<string>;
}

const LITERAL_LEAVES = new Set([
  'integer',
  'float',
  'number',
  'string',
  'true',
  'false',
  'none',
  'null',
  'undefined',
]);
const LITERAL_PARENTS = new Set([
  'tuple',
  'list',
  'set',
  'dictionary',
  'pair',
  'unary_operator',
  'unary_expression',
  'array',
  'object',
]);

/** A literal as text, equal for equal values; null when the node is none. */
export function literalText(node: SyntaxNode | undefined): string | null {
  if (!node) return null;
  if (node.children.length === 0) {
    if (/^[()[\]{},:+-]$/.test(node.kind)) return node.kind;
    return LITERAL_LEAVES.has(node.kind) || node.kind === 'property_identifier' ? node.text : null;
  }
  if (!LITERAL_PARENTS.has(node.kind)) return null;
  const parts = node.children.map(literalText);
  return parts.every((part) => part !== null) ? `${node.kind}(${parts.join(' ')})` : null;
}

/** The number that a literal denotes, or null. */
export function literalNumber(node: SyntaxNode | undefined): number | null {
  const found = /^(?:(?:unary_\w+)\()?(-? ?)(?:int:|float:)?([\d.e+-]+)\)?$/.exec(literalText(node) ?? '');
  const value = found ? Number(`${found[1]?.trim()}${found[2]}`) : Number.NaN;
  return Number.isFinite(value) ? value : null;
}

/** What a module declares once each, at its top. */
export function contentsOf({ form, names }: CodeVersion): ModuleContents {
  const constants = new Map<string, SyntaxNode>();
  const callables = new Set<string>();
  const seen = new Set<string>();
  const often = new Set<string>();
  const declarations = form.root.children.flatMap((statement) =>
    declarationsIn(
      statement.kind === 'export_statement' ? (childIn(statement, 'declaration') ?? statement) : statement,
    ),
  );
  for (const [name, value] of declarations) {
    if (seen.has(name)) often.add(name);
    seen.add(name);
    if (value === 'callable') callables.add(name);
    else if (literalText(value) !== null) constants.set(name, value);
  }
  // What is assigned anywhere else, under a condition or through `global`, is no constant.
  const leaves = new Map<string, number>();
  for (const [leaf, binding] of names.uses)
    if (binding.scope === names.module && ASSIGNED.has(leaf.field ?? ''))
      leaves.set(binding.name, (leaves.get(binding.name) ?? 0) + 1);
  for (const name of [...constants.keys()])
    if (often.has(name) || (leaves.get(name) ?? 0) > 1) constants.delete(name);
  return { constants, callables };
}

const ASSIGNED = new Set(['left', 'name']);

function declarationsIn(node: SyntaxNode): [string, SyntaxNode | 'callable'][] {
  if (/^(?:function|class|generator_function|abstract_class)_(?:definition|declaration)$/.test(node.kind))
    return [[childIn(node, 'name')?.text ?? '', 'callable']];
  if (node.kind === 'decorated_definition') return node.children.flatMap(declarationsIn);
  const holders =
    node.kind === 'expression_statement' || node.kind === 'lexical_declaration' ? node.children : [];
  return holders.flatMap((holder): [string, SyntaxNode | 'callable'][] => {
    const name = childIn(holder, 'left') ?? childIn(holder, 'name');
    const value = childIn(holder, 'right') ?? childIn(holder, 'value');
    if (name?.kind !== 'identifier' || !value) return [];
    return [[name.text, /function|arrow/.test(value.kind) ? 'callable' : value]];
  });
}
