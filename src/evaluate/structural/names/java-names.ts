import { childIn, childOf, type SyntaxNode } from '../syntax/syntax-node.ts';
import { type BindRule, BlockBinder, type BlockNaming, nothing, only } from './block-binder.ts';
import { type NameTable, Scope } from './scopes.ts';

/** Annotations after which a method is still called by plain code alone. */
const PLAIN =
  /^(?:Override|Deprecated|SuppressWarnings|SafeVarargs|FunctionalInterface|Nullable|NonNull|NotNull|Nonnull|Test|Before\w*|After\w*|VisibleForTesting|CheckReturnValue|Contract|Pure)$/;

function annotations(node: SyntaxNode | undefined): string[] {
  const modifiers = node && childOf(node, 'modifiers');
  return (modifiers?.children ?? [])
    .filter((child) => /annotation$/.test(child.kind))
    .map((child) => childIn(child, 'name')?.text ?? '?');
}

const method: BindRule = (node, scope, binder) => {
  const inner = new Scope('function', scope);
  const framework =
    annotations(node).some((name) => !PLAIN.test(name)) ||
    (frameworkTypes.has(scope) && (node.kind !== 'method_declaration' || !childIn(node, 'body')));
  for (const child of node.children)
    if (child.field === 'parameters')
      parameters(child, inner, binder, framework ? 'a framework reads it' : null);
    else if (child.field === 'body') binder.visitAll(child.children, inner);
    else if (child.field !== 'name') binder.visit(child, scope);
};

/** Bodies of annotated types: a framework may call their constructors, and implement what has no body, by names. */
const frameworkTypes = new WeakSet<Scope>();

const typeRule: BindRule = (node, scope, binder) => {
  const isFramework = annotations(node).some((name) => !PLAIN.test(name));
  for (const child of node.children)
    if (child.field !== 'body') {
      if (child.field !== 'name') binder.visit(child, scope);
    } else {
      const inner = new Scope('class', scope);
      if (isFramework) frameworkTypes.add(inner);
      binder.visitAll(child.children, inner);
    }
};

function parameters(list: SyntaxNode, inner: Scope, binder: BlockBinder, fixed: string | null): void {
  for (const child of list.children) {
    const name = child.kind === 'identifier' ? child : (childIn(child, 'name') ?? declaratorName(child));
    if (!name) continue;
    const own = annotations(child).length > 0 ? 'a framework reads it' : fixed;
    binder.declare(inner, name, 'parameter', { role: 'parameter', fixed: own });
  }
}

const declaratorName = (node: SyntaxNode): SyntaxNode | undefined => {
  const declarator = childOf(node, 'variable_declarator');
  return declarator && childIn(declarator, 'name');
};

const namedLocal: BindRule = (node, scope, binder) => {
  binder.visitExcept(node, scope, 'name');
  binder.declareLocal(scope, childIn(node, 'name'));
};

/** A pattern's variable may outlive its statement, so it belongs to the block around. */
const patternLocal: BindRule = (node, scope, binder) => {
  binder.visitExcept(node, scope, 'name');
  binder.declareLocal(scope, childIn(node, 'name'));
};

const naming: BlockNaming = {
  scopes: {
    block: 'block',
    for_statement: 'block',
    enhanced_for_statement: 'block',
    try_with_resources_statement: 'block',
    catch_clause: 'block',
    switch_block: 'block',
    switch_rule: 'block',
    class_body: 'class',
    interface_body: 'class',
    enum_body: 'class',
    annotation_type_body: 'class',
  },
  names: new Set(['identifier']),
  rules: {
    method_declaration: method,
    constructor_declaration: method,
    compact_constructor_declaration: method,
    lambda_expression: (node, scope, binder) => {
      const inner = new Scope('function', scope);
      const list = childIn(node, 'parameters');
      if (list) parameters(list, inner, binder, null);
      binder.visitExcept(node, inner, 'parameters');
    },
    local_variable_declaration: (node, scope, binder) => {
      for (const child of node.children)
        if (child.kind === 'variable_declarator') namedLocal(child, scope, binder);
        else binder.visit(child, scope);
    },
    field_declaration: (node, scope, binder) => {
      for (const child of node.children)
        if (child.kind === 'variable_declarator') {
          binder.declare(scope, childIn(child, 'name'), 'member', { role: 'field' });
          binder.visitExcept(child, scope, 'name');
        } else binder.visit(child, scope);
    },
    enum_constant: (node, scope, binder) => {
      binder.declare(scope, childIn(node, 'name'), 'member', { role: 'field' });
      binder.visitExcept(node, scope, 'name');
    },
    record_declaration: (node, scope, binder) => {
      const inner = new Scope('class', scope);
      for (const child of childIn(node, 'parameters')?.children ?? [])
        binder.declare(inner, childIn(child, 'name'), 'member', { role: 'field' });
      binder.visitExcept(node, inner, 'name', 'parameters');
    },
    enhanced_for_statement: (node, scope, binder) => {
      const inner = new Scope('block', scope);
      for (const child of node.children) if (child.field === 'value') binder.visit(child, scope);
      binder.declareLocal(inner, childIn(node, 'name'));
      binder.visitExcept(node, inner, 'name', 'value');
    },
    catch_formal_parameter: namedLocal,
    resource: (node, scope, binder) =>
      childIn(node, 'name') ? namedLocal(node, scope, binder) : binder.visitInside(node, scope),
    instanceof_expression: patternLocal,
    type_pattern: (node, scope, binder) => binder.declareLocal(scope, childOf(node, 'identifier')),
    record_pattern_component: (node, scope, binder) => {
      for (const child of node.children)
        if (child.kind === 'identifier') binder.declareLocal(scope, child);
        else binder.visit(child, scope);
    },
    class_declaration: typeRule,
    interface_declaration: typeRule,
    enum_declaration: typeRule,
    annotation_type_declaration: nothing,
    field_access: only('object'),
    method_invocation: only('object', 'arguments', 'type_arguments'),
    method_reference: (node, scope, binder) => binder.visitAll(node.children.slice(0, 1), scope),
    scoped_identifier: nothing,
    scoped_type_identifier: nothing,
    package_declaration: nothing,
    import_declaration: nothing,
    annotation: only('arguments'),
    marker_annotation: nothing,
    element_value_pair: only('value'),
    labeled_statement: (node, scope, binder) => binder.visitAll(node.children.slice(1), scope),
    break_statement: nothing,
    continue_statement: nothing,
  },
};

/** Resolves the names of a Java form (JLS 6.3); members and methods keep their names. */
export function bindJava(root: SyntaxNode, text: string): NameTable {
  return BlockBinder.bind(naming, root, text);
}
