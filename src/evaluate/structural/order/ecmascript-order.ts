import { childIn, childOf, type SyntaxNode } from '../syntax/syntax-node.ts';
import type { Movable, OrderRules } from './sort-movable.ts';

const LITERALS = new Set(['number', 'string', 'true', 'false', 'null', 'undefined', 'regex']);
const FUNCTIONS = new Set(['arrow_function', 'function_expression', 'generator_function']);
const HOISTED = new Set([
  'function_declaration',
  'generator_function_declaration',
  'interface_declaration',
  'type_alias_declaration',
]);

/**
 * Functions are there before anything runs, types never run, and a constant that is a literal or a function runs nothing;
 * the order of names in a clause means nothing. Imports, classes, enums, objects and arrays keep their order.
 */
export const ecmascriptOrder: OrderRules = (child, parent) => {
  switch (parent.kind) {
    case 'program':
      return child.kind === 'export_statement' ? exported(child) : statement(child);
    case 'named_imports':
    case 'export_clause':
      return /_specifier$/.test(child.kind) ? { binds: [], reads: [] } : null;
    case 'interface_body':
    case 'object_type':
      return child.kind === 'property_signature' ? named(child) : null;
    case 'class_body':
      return child.kind === 'method_definition' ? method(child) : null;
    default:
      return null;
  }
};

function exported(node: SyntaxNode): Movable | null {
  const declaration = childIn(node, 'declaration');
  return declaration && !childOf(node, 'default') && !childOf(node, 'decorator')
    ? statement(declaration)
    : null;
}

function statement(node: SyntaxNode): Movable | null {
  if (HOISTED.has(node.kind)) return named(node);
  if (node.kind !== 'lexical_declaration' || childIn(node, 'kind')?.text !== 'const') return null;
  const declarators = node.children.filter((child) => child.kind === 'variable_declarator');
  const [only] = declarators;
  const value = only && childIn(only, 'value');
  if (declarators.length !== 1 || !value || childIn(only, 'name')?.kind !== 'identifier') return null;
  return LITERALS.has(value.kind) || FUNCTIONS.has(value.kind) ? named(only) : null;
}

function named(node: SyntaxNode): Movable | null {
  const name = childIn(node, 'name');
  return name && name.children.length === 0 ? { binds: [name.text], reads: [] } : null;
}

function method(node: SyntaxNode): Movable | null {
  if (childOf(node, 'decorator')) return null;
  const name = childIn(node, 'name');
  if (!name || name.children.length > 0) return null;
  const accessor = node.children.find((child) => child.kind === 'get' || child.kind === 'set')?.kind ?? '';
  return { binds: [`${accessor} ${name.text}`], reads: [] };
}
