import { childIn, childOf, type SyntaxNode } from '../syntax/syntax-node.ts';
import { type BindRule, BlockBinder, type BlockNaming, except, nothing, only } from './block-binder.ts';
import { type NameTable, Scope } from './scopes.ts';

const callable: BindRule = (node, scope, binder) => {
  const inner = new Scope('function', scope);
  const fixed = childOf(node, 'attribute_list')
    ? 'a framework reads it'
    : foreign.has(scope)
      ? 'its class extends a foreign one'
      : null;
  if (node.kind === 'local_function_statement')
    binder.declare(scope, childIn(node, 'name'), 'local', { role: 'function' });
  else if (scope.kind === 'class') binder.declare(scope, childIn(node, 'name'), 'member', { role: 'method' });
  for (const child of node.children)
    if (child.kind === 'parameter_list' || child.kind === 'bracketed_parameter_list')
      parameters(child, inner, binder, fixed);
    else if (child.field === 'body') binder.visit(child, inner);
    else if (!SILENT.has(child.field ?? '')) binder.visit(child, inner);
};

const SILENT = new Set(['name', 'type', 'returns']);
/** Classes with a base that may hand parameters over by name. */
const foreign = new WeakSet<Scope>();

function parameters(list: SyntaxNode, inner: Scope, binder: BlockBinder, fixed: string | null): void {
  for (const child of list.children) {
    const name =
      child.kind === 'identifier' ? child : child.kind === 'parameter' ? childIn(child, 'name') : undefined;
    const own = childOf(child, 'attribute_list') ? 'a framework reads it' : fixed;
    if (name) binder.declare(inner, name, 'parameter', { role: 'parameter', fixed: own });
    if (child.kind === 'parameter') binder.visitExcept(child, inner, 'name', 'type');
  }
}

const lambda: BindRule = (node, scope, binder) => {
  const inner = new Scope('function', scope);
  const list = childIn(node, 'parameters');
  const typed = list?.children.some((child) => childIn(child, 'type')) ?? false;
  if (list) parameters(list, inner, binder, typed ? 'a framework may bind it by name' : null);
  binder.visitExcept(node, inner, 'parameters', 'type');
};

const namedLocal: BindRule = (node, scope, binder) => {
  binder.visitExcept(node, scope, 'name', 'type');
  binder.declareLocal(scope, childIn(node, 'name'));
};

const classLike: BindRule = (node, scope, binder) => {
  const inner = new Scope('class', scope);
  if (childOf(node, 'base_list') || childOf(node, 'attribute_list')) foreign.add(inner);
  const positional = childOf(node, 'parameter_list');
  for (const child of positional?.children ?? [])
    binder.declare(inner, childIn(child, 'name'), 'member', { role: 'field' });
  binder.visitAll(
    node.children.filter((child) => child.field === 'body' || child.kind === 'declaration_list'),
    inner,
  );
};

const variables =
  (kind: 'local' | 'member'): BindRule =>
  (node, scope, binder) => {
    for (const child of node.children)
      if (child.kind === 'variable_declarator') {
        const name = childIn(child, 'name') ?? childOf(child, 'identifier');
        if (name === undefined) binder.visitInside(child, scope);
        else {
          binder.visitAll(
            child.children.filter((part) => part !== name),
            scope,
          );
          if (kind === 'member') binder.declare(scope, name, 'member', { role: 'field' });
          else binder.declareLocal(scope, name);
        }
      } else if (child.field !== 'type') binder.visit(child, scope);
  };

const inMember: BindRule = (node, scope, binder) => {
  for (const child of node.children)
    if (child.kind === 'variable_declaration') variables('member')(child, scope, binder);
};

const pattern: BindRule = (node, scope, binder) => {
  for (const child of node.children)
    if (child.kind === 'identifier' && (child.field === 'name' || node.kind === 'tuple_pattern'))
      binder.declareLocal(scope, child);
    else if (child.field !== 'type') binder.visit(child, scope);
};

const naming: BlockNaming = {
  scopes: {
    block: 'block',
    for_statement: 'block',
    foreach_statement: 'block',
    using_statement: 'block',
    fixed_statement: 'block',
    catch_clause: 'block',
    switch_body: 'block',
    switch_section: 'block',
    switch_expression_arm: 'block',
    accessor_declaration: 'function',
  },
  names: new Set(['identifier']),
  rules: {
    method_declaration: callable,
    constructor_declaration: callable,
    operator_declaration: callable,
    conversion_operator_declaration: callable,
    destructor_declaration: callable,
    indexer_declaration: callable,
    local_function_statement: callable,
    delegate_declaration: nothing,
    lambda_expression: lambda,
    anonymous_method_expression: lambda,
    class_declaration: classLike,
    struct_declaration: classLike,
    interface_declaration: classLike,
    record_declaration: classLike,
    enum_declaration: nothing,
    field_declaration: inMember,
    event_field_declaration: inMember,
    property_declaration: (node, scope, binder) => {
      binder.declare(scope, childIn(node, 'name'), 'member', { role: 'property' });
      binder.visitExcept(node, scope, 'name', 'type');
    },
    variable_declaration: variables('local'),
    foreach_statement: (node, scope, binder) => {
      const inner = new Scope('block', scope);
      binder.visitAll(
        node.children.filter(({ field }) => field === 'right'),
        scope,
      );
      const left = childIn(node, 'left');
      if (left?.kind === 'identifier') binder.declareLocal(inner, left);
      else if (left) binder.visit(left, inner);
      binder.visitExcept(node, inner, 'left', 'right', 'type');
    },
    catch_declaration: namedLocal,
    declaration_expression: namedLocal,
    declaration_pattern: pattern,
    var_pattern: pattern,
    recursive_pattern: pattern,
    list_pattern: pattern,
    tuple_pattern: pattern,
    parenthesized_variable_designation: pattern,
    type_pattern: nothing,
    constant_pattern: (node, scope, binder) => binder.visitInside(node, scope),
    subpattern: (node, scope, binder) => binder.visitAll(node.children.slice(1), scope),
    argument: (node, scope, binder) => {
      const name = childIn(node, 'name');
      if (name) binder.table.keywords.add(name.text);
      binder.visitExcept(node, scope, 'name');
    },
    invocation_expression: (node, scope, binder) => {
      // The compiler hands the text of the argument over, too.
      if (/^nameof$|\.ThrowIf\w*$/.test(calleeOf(node, binder.text))) binder.opaque(node);
      binder.visitInside(node, scope);
    },
    tuple_expression: (node, scope, binder) => {
      // A variable lends a tuple's element its name.
      for (const child of node.children)
        if (child.children.length === 1 && child.children[0]?.kind === 'identifier') binder.opaque(child);
      binder.visitInside(node, scope);
    },
    anonymous_object_creation_expression: (node, scope, binder) => {
      for (const [index, child] of node.children.entries())
        if (child.kind !== 'identifier') binder.visit(child, scope);
        else if (node.children[index - 1]?.kind === '=') binder.visit(child, scope);
        else binder.table.opaque.add(child.text);
    },
    initializer_expression: (node, scope, binder) => {
      for (const child of node.children)
        if (child.kind === 'assignment_expression') binder.visitExcept(child, scope, 'left');
        else binder.visit(child, scope);
    },
    with_initializer: (node, scope, binder) => binder.visitAll(node.children.slice(1), scope),
    query_expression: (node, _scope, binder) => binder.opaque(node),
    member_access_expression: only('expression'),
    member_binding_expression: nothing,
    qualified_name: nothing,
    generic_name: nothing,
    attribute_list: nothing,
    using_directive: nothing,
    namespace_declaration: except('name'),
    file_scoped_namespace_declaration: except('name'),
    base_list: nothing,
    type_parameter_list: nothing,
    type_parameter_constraints_clause: nothing,
    object_creation_expression: except('type'),
    array_creation_expression: except('type'),
    cast_expression: except('type'),
    as_expression: except('right'),
    typeof_expression: nothing,
    default_expression: nothing,
    labeled_statement: (node, scope, binder) => binder.visitAll(node.children.slice(1), scope),
    goto_statement: nothing,
    preproc_if: except('condition'),
    preproc_elif: except('condition'),
  },
};

function calleeOf(node: SyntaxNode, text: string): string {
  const callee = childIn(node, 'function');
  return callee ? text.slice(callee.start, callee.end) : '';
}

/** Resolves the names of a C# form; members, types and labels keep their names. */
export function bindCsharp(root: SyntaxNode, text: string): NameTable {
  return BlockBinder.bind(naming, root, text);
}
