import { childIn, childOf, type SyntaxNode } from '../syntax/syntax-node.ts';
import { type BindRule, BlockBinder, type BlockNaming, nothing, only } from './block-binder.ts';
import { type NameTable, Scope } from './scopes.ts';

const functionRule: BindRule = (node, scope, binder) => {
  const name = childIn(node, 'name');
  if (node.kind === 'function_declaration')
    binder.declare(scope, name, 'module', { role: 'function', exported: true });
  const inner = new Scope('function', scope);
  for (const child of node.children)
    if (child.field === 'body') binder.visitAll(child.children, inner);
    else if (child !== name) binder.visit(child, inner);
};

/** `a, b := …` declares what the scope does not have yet; `=` declares nothing. */
const shortDeclaration: BindRule = (node, scope, binder) => {
  binder.visitExcept(node, scope, 'left');
  const left = childIn(node, 'left');
  if (!left) return;
  if (!childOf(node, ':=')) binder.visit(left, scope);
  else
    for (const leaf of left.children)
      if (leaf.kind !== 'identifier') binder.visit(leaf, scope);
      else if (leaf.text === '_') continue;
      else if (scope.bindings.has(leaf.text)) binder.table.refer(scope, leaf);
      else binder.declareLocal(scope, leaf, node);
};

const specRule: BindRule = (node, scope, binder) => {
  binder.visitExcept(node, scope, 'name');
  for (const leaf of node.children)
    if (leaf.field === 'name' && leaf.text !== '_')
      if (scope.kind === 'module') binder.declare(scope, leaf, 'module', { exported: true });
      else binder.declareLocal(scope, leaf, node);
};

const parameterRule: BindRule = (node, scope, binder) => {
  binder.visitExcept(node, scope, 'name');
  for (const leaf of node.children)
    if (leaf.field === 'name' && leaf.text !== '_')
      binder.declare(scope, leaf, 'parameter', { role: 'parameter' });
};

const naming: BlockNaming = {
  scopes: {
    block: 'block',
    if_statement: 'block',
    for_statement: 'block',
    expression_switch_statement: 'block',
    type_switch_statement: 'block',
    expression_case: 'block',
    type_case: 'block',
    default_case: 'block',
    communication_case: 'block',
  },
  names: new Set(['identifier']),
  rules: {
    function_declaration: functionRule,
    method_declaration: functionRule,
    func_literal: functionRule,
    function_type: (node, scope, binder) => binder.visitInside(node, new Scope('function', scope)),
    method_elem: (node, scope, binder) => binder.visitExcept(node, new Scope('function', scope), 'name'),
    short_var_declaration: shortDeclaration,
    range_clause: shortDeclaration,
    receive_statement: shortDeclaration,
    var_spec: specRule,
    const_spec: specRule,
    parameter_declaration: parameterRule,
    variadic_parameter_declaration: parameterRule,
    type_parameter_declaration: (node, _scope, binder) => binder.opaque(node),
    type_switch_statement: (node, scope, binder) => {
      const inner = new Scope('block', scope);
      for (const leaf of childIn(node, 'alias')?.children ?? []) binder.declareLocal(inner, leaf);
      binder.visitExcept(node, inner, 'alias');
    },
    keyed_element: (node, scope, binder) => {
      const key = childIn(node, 'key');
      if (key?.children[0]?.kind !== 'identifier') binder.visit(node.children[0] as SyntaxNode, scope);
      else if (!structs.get(binder)?.has(key)) binder.opaque(key);
      binder.visitExcept(node, scope, 'key');
    },
    composite_literal: (node, scope, binder) => {
      noteStructKeys(node, binder);
      binder.visitInside(node, scope);
    },
    import_declaration: nothing,
    package_clause: nothing,
    label_name: nothing,
    selector_expression: only('operand'),
    qualified_type: nothing,
  },
};

/** Keys of literals that are surely fields of a struct of this file, by binder. */
const structs = new WeakMap<BlockBinder, Set<SyntaxNode>>();

function noteStructKeys(node: SyntaxNode, binder: BlockBinder): void {
  const type = childIn(node, 'type')?.text ?? '';
  if (!structNames(binder).has(type)) return;
  const keys = structs.get(binder) ?? new Set();
  structs.set(binder, keys);
  for (const element of childIn(node, 'body')?.children ?? []) {
    const key = childIn(element, 'key');
    if (key) keys.add(key);
  }
}

const declaredStructs = new WeakMap<BlockBinder, ReadonlySet<string>>();

function structNames(binder: BlockBinder): ReadonlySet<string> {
  const known = declaredStructs.get(binder);
  if (known) return known;
  const found = new Set(
    [...binder.text.matchAll(/^[ \t]*(?:type[ \t]+)?(\w+)[ \t]+struct\b/gm)].map(([, name = '']) => name),
  );
  declaredStructs.set(binder, found);
  return found;
}

/** Resolves the names of a Go form (Go specification, "Declarations and scope"). */
export function bindGo(root: SyntaxNode, text: string): NameTable {
  return BlockBinder.bind(naming, root, text);
}
