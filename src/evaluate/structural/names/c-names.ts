import { childIn, childOf, type SyntaxNode } from '../syntax/syntax-node.ts';
import { type BindRule, BlockBinder, type BlockNaming, except, nothing } from './block-binder.ts';
import { type NameTable, Scope } from './scopes.ts';

/** The leaf that a declarator declares, below pointers, arrays, functions and brackets. */
function declared(node: SyntaxNode | undefined): SyntaxNode | undefined {
  if (!node || node.kind === 'identifier' || node.kind === 'field_identifier') return node;
  const inner =
    childIn(node, 'declarator') ?? node.children.find((child) => /declarator$|^identifier$/.test(child.kind));
  return inner && declared(inner);
}

/** Visits what a declarator contains besides the declared name: sizes, parameters, trailing types. */
function visitDeclarator(node: SyntaxNode, scope: Scope, binder: BlockBinder, parameterScope?: Scope): void {
  if (node.kind === 'identifier' || node.kind === 'field_identifier') return;
  for (const child of node.children)
    if (child.kind === 'parameter_list')
      binder.visitInside(child, parameterScope ?? new Scope('function', scope));
    else if (child.field === 'declarator' || /declarator$/.test(child.kind))
      visitDeclarator(child, scope, binder, parameterScope);
    else if (child.kind !== 'identifier' || child.field !== null) binder.visit(child, scope);
}

const declaration: BindRule = (node, scope, binder) => {
  for (const child of node.children) {
    if (child.field !== 'declarator') {
      binder.visit(child, scope);
      continue;
    }
    const bindings = structured(child);
    const whole = child.kind === 'init_declarator' ? childIn(child, 'declarator') : child;
    if (bindings) for (const leaf of bindings) binder.declareLocal(scope, leaf, child);
    else declareVariable(declared(child), scope, binder, whole ?? child);
    visitDeclarator(child, scope, binder);
  }
};

function declareVariable(
  leaf: SyntaxNode | undefined,
  scope: Scope,
  binder: BlockBinder,
  whole: SyntaxNode,
): void {
  if (leaf?.kind !== 'identifier') return;
  if (scope.kind === 'module') binder.declare(scope, leaf, 'module', { exported: true });
  else if (scope.kind === 'class') binder.declare(scope, leaf, 'member');
  else binder.declareLocal(scope, leaf, whole);
}

/** `auto [a, b] = …`. */
function structured(node: SyntaxNode): readonly SyntaxNode[] | undefined {
  if (node.kind === 'structured_binding_declarator')
    return node.children.filter(({ kind }) => kind === 'identifier');
  const inner = node.children.find((child) => /declarator$/.test(child.kind));
  return inner && structured(inner);
}

const functionDefinition: BindRule = (node, scope, binder) => {
  const declarator = childIn(node, 'declarator');
  const name = declared(declarator);
  if (name?.kind === 'identifier')
    binder.declare(scope, name, scope.kind === 'class' ? 'member' : 'module', {
      role: 'function',
      exported: true,
    });
  const inner = new Scope('function', scope);
  if (declarator) visitDeclarator(declarator, scope, binder, inner);
  for (const child of node.children)
    if (child.kind === 'compound_statement') binder.visitAll(child.children, inner);
    else if (child.field !== 'declarator')
      binder.visit(child, child.kind === 'field_initializer_list' ? inner : scope);
};

const parameter: BindRule = (node, scope, binder) => {
  for (const child of node.children)
    if (child.field === 'declarator') {
      const leaf = declared(child);
      if (leaf) binder.declare(scope, leaf, 'parameter', { role: 'parameter' });
      visitDeclarator(child, scope, binder);
    } else binder.visit(child, scope);
};

const naming: BlockNaming = {
  scopes: {
    compound_statement: 'block',
    for_statement: 'block',
    if_statement: 'block',
    while_statement: 'block',
    switch_statement: 'block',
    catch_clause: 'block',
    field_declaration_list: 'class',
    declaration_list: 'module',
    template_declaration: 'module',
  },
  names: new Set(['identifier', 'field_identifier', 'type_identifier']),
  rules: {
    declaration,
    function_definition: functionDefinition,
    parameter_declaration: parameter,
    optional_parameter_declaration: parameter,
    variadic_parameter_declaration: parameter,
    field_declaration: (node, scope, binder) => {
      for (const child of node.children) {
        const leaf = child.field === 'declarator' ? declared(child) : undefined;
        if (leaf) binder.declare(scope, leaf, 'member', { role: 'field' });
        if (child.field === 'declarator') visitDeclarator(child, scope, binder);
        else binder.visit(child, scope);
      }
    },
    for_range_loop: (node, scope, binder) => {
      const inner = new Scope('block', scope);
      binder.visitAll(
        node.children.filter(({ field }) => field === 'right' || field === 'initializer'),
        inner,
      );
      const declarator = childIn(node, 'declarator');
      const leaves = declarator && (structured(declarator) ?? [declared(declarator)]);
      for (const leaf of leaves ?? []) binder.declareLocal(inner, leaf);
      binder.visitExcept(node, inner, 'right', 'declarator', 'initializer');
    },
    enumerator: (node, scope, binder) => {
      binder.declare(scope.nearest('module', 'class', 'function'), childIn(node, 'name'), 'member');
      binder.visitExcept(node, scope, 'name');
    },
    lambda_expression: (node, scope, binder) => {
      const inner = new Scope('function', scope);
      for (const child of node.children)
        if (child.kind === 'lambda_capture_specifier') capture(child, scope, binder);
        else if (child.field === 'body') binder.visitAll(child.children, inner);
        else if (child.field === 'declarator') visitDeclarator(child, scope, binder, inner);
        else binder.visit(child, inner);
    },
    call_expression: (node, scope, binder) => {
      const callee = childIn(node, 'function');
      if (callee && isUnknownMacro(callee, binder.text)) binder.opaque(node);
      binder.visitInside(node, scope);
    },
    field_expression: (node, scope, binder) => binder.visitExcept(node, scope, 'field'),
    qualified_identifier: (node, _scope, binder) => {
      for (const child of node.children)
        if (child.kind === 'template_type' || child.kind === 'template_function') binder.opaque(child);
    },
    field_initializer: (node, scope, binder) => binder.visitAll(node.children.slice(1), scope),
    field_designator: nothing,
    type_identifier: nothing,
    field_identifier: nothing,
    namespace_identifier: nothing,
    preproc_ifdef: except('name'),
    preproc_def: nothing,
    preproc_function_def: nothing,
    preproc_undef: nothing,
    preproc_defined: nothing,
    preproc_if: except('condition'),
    preproc_elif: except('condition'),
    attribute_specifier: nothing,
    attribute_declaration: nothing,
    template_parameter_list: (node, _scope, binder) => binder.opaque(node),
    requires_clause: (node, _scope, binder) => binder.opaque(node),
    gnu_asm_expression: (node, _scope, binder) => binder.opaque(node),
    destructor_name: nothing,
    type_definition: nothing,
  },
};

/** `[a = b]` declares; `[a]` and `[&a]` refer. */
function capture(node: SyntaxNode, scope: Scope, binder: BlockBinder): void {
  if (node.children.some((child) => childOf(child, '=') || child.kind === 'lambda_capture_initializer'))
    binder.opaque(node);
  else binder.visitAll(node.children, scope);
}

/** Macros whose arguments are expressions, whoever wrote them. */
const EXPRESSION_MACRO =
  /^(?:MIN|MAX|ABS|CLAMP|SWAP|ARRAY_?SIZE|COUNT_?OF|NELEMS?|UNUSED\w*|LIKELY|UNLIKELY|\w*(?:ASSERT|EXPECT|CHECK|REQUIRE)\w*)$/;

/** In capitals, and not defined here: it may take what looks like a local for the name of a member, or spell it. */
function isUnknownMacro({ text: name }: SyntaxNode, text: string): boolean {
  if (!/^[A-Z][A-Z0-9_]+$/.test(name) || EXPRESSION_MACRO.test(name)) return false;
  return !new RegExp(`^[ \\t]*#[ \\t]*define[ \\t]+${name}\\b`, 'm').test(text);
}

/** Resolves the names of a C or C++ form; members, types and macros keep their names. */
export function bindC(root: SyntaxNode, text: string): NameTable {
  return BlockBinder.bind(naming, root, text, (binder) => noteMacros(binder.table, text));
}

/** Macros see spellings: what their bodies mention stays, and one that makes text or names of its arguments freezes all. */
function noteMacros(table: NameTable, text: string): void {
  for (const [line] of text.matchAll(/^[ \t]*#[ \t]*define(?:\\\r?\n|.)*/gm)) {
    const body = line.replace(/^[ \t]*#[ \t]*define/, '');
    if (body.includes('#')) table.frozen ??= 'a macro spells its arguments';
    for (const [word] of body.matchAll(/[A-Za-z_]\w*/g)) table.opaque.add(word);
  }
}
