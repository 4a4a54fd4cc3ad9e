import { formatMacros } from '../forms/rust-form.ts';
import { childIn, childOf, type SyntaxNode } from '../syntax/syntax-node.ts';
import { type BindRule, BlockBinder, type BlockNaming, nothing, only } from './block-binder.ts';
import { type NameTable, Scope } from './scopes.ts';

/** Macros whose arguments are expressions and nothing else. */
const EXPRESSION_MACROS = new Set([
  ...formatMacros,
  'vec',
  'dbg',
  'matches',
  'debug',
  'info',
  'warn',
  'error',
  'trace',
  'log',
]);

/** Declares what a pattern binds, from `from` on. A capital names a constant or a variant. */
function bindPattern(node: SyntaxNode, scope: Scope, binder: BlockBinder, from: number): void {
  if (node.kind === 'identifier') {
    if (/^[A-Z]/.test(node.text)) binder.visit(node, scope);
    else binder.declare(scope, node, 'local', { from });
    return;
  }
  for (const child of node.children)
    if (
      child.field === 'type' ||
      child.field === 'name' ||
      child.kind === 'range_pattern' ||
      child.kind === 'scoped_identifier'
    )
      continue;
    else if (child.kind === 'macro_invocation' || child.field === 'condition') continue;
    else bindPattern(child, scope, binder, from);
}

const functionItem: BindRule = (node, scope, binder) => {
  binder.declare(scope, childIn(node, 'name'), scope.kind === 'class' ? 'member' : 'module', {
    role: 'function',
    exported: true,
  });
  const inner = new Scope('function', scope);
  for (const child of childIn(node, 'parameters')?.children ?? []) {
    const pattern = childIn(child, 'pattern');
    if (pattern) bindPattern(pattern, inner, binder, -1);
  }
  for (const child of node.children) if (child.field === 'body') binder.visitAll(child.children, inner);
};

const item: BindRule = (node, scope, binder) => {
  binder.declare(scope, childIn(node, 'name'), scope.kind === 'class' ? 'member' : 'module', {
    exported: true,
  });
  binder.visitExcept(node, scope, 'name', 'type');
};

/** `if let P = v { … }`: the pattern's names are seen in the condition and the branch, not in `else`. */
const conditional: BindRule = (node, scope, binder) => {
  const inner = new Scope('block', scope);
  for (const child of node.children) binder.visit(child, child.field === 'alternative' ? scope : inner);
};

const naming: BlockNaming = {
  scopes: { block: 'block', declaration_list: 'module', match_block: 'block', unsafe_block: 'block' },
  names: new Set(['identifier']),
  rules: {
    function_item: functionItem,
    function_signature_item: functionItem,
    const_item: item,
    static_item: item,
    if_expression: conditional,
    while_expression: conditional,
    let_condition: (node, scope, binder) => {
      binder.visitExcept(node, scope, 'pattern');
      const pattern = childIn(node, 'pattern');
      if (pattern) bindPattern(pattern, scope, binder, node.end);
    },
    let_declaration: (node, scope, binder) => {
      binder.visitExcept(node, scope, 'pattern', 'type');
      const pattern = childIn(node, 'pattern');
      if (pattern) bindPattern(pattern, scope, binder, node.end);
    },
    for_expression: (node, scope, binder) => {
      binder.visitAll(
        node.children.filter(({ field }) => field === 'value'),
        scope,
      );
      const inner = new Scope('block', scope);
      const pattern = childIn(node, 'pattern');
      if (pattern) bindPattern(pattern, inner, binder, pattern.end);
      binder.visitExcept(node, inner, 'value', 'pattern');
    },
    match_arm: (node, scope, binder) => {
      const inner = new Scope('block', scope);
      for (const child of node.children)
        if (child.field !== 'pattern') binder.visit(child, inner);
        else {
          bindPattern(child, inner, binder, child.start);
          for (const part of child.children) if (part.field === 'condition') binder.visit(part, inner);
        }
    },
    closure_expression: (node, scope, binder) => {
      const inner = new Scope('function', scope);
      for (const child of childIn(node, 'parameters')?.children ?? [])
        bindPattern(childIn(child, 'pattern') ?? child, inner, binder, -1);
      binder.visitAll(
        node.children.filter(({ field }) => field === 'body'),
        inner,
      );
    },
    macro_invocation: (node, scope, binder) => macro(node, scope, binder),
    field_expression: only('value'),
    field_initializer: only('value'),
    scoped_identifier: nothing,
    scoped_type_identifier: nothing,
    use_declaration: nothing,
    extern_crate_declaration: nothing,
    attribute_item: (node, _scope, binder) => binder.opaque(node),
    inner_attribute_item: nothing,
    macro_definition: (node, _scope, binder) => binder.opaque(node),
    lifetime: nothing,
    label: nothing,
    mod_item: (node, scope, binder) => binder.visitExcept(node, scope, 'name'),
    struct_item: nothing,
    enum_item: nothing,
    union_item: nothing,
    type_item: nothing,
    generic_function: only('function'),
    type_cast_expression: only('value'),
    struct_expression: only('body'),
    impl_item: (node, scope, binder) =>
      binder.visitAll(childIn(node, 'body')?.children ?? [], new Scope('class', scope)),
    trait_item: (node, scope, binder) =>
      binder.visitAll(childIn(node, 'body')?.children ?? [], new Scope('class', scope)),
  },
};

/** Arguments of a macro: expressions where the macro is known, otherwise nobody knows. */
const macro: BindRule = (node, scope, binder) => {
  const name = childIn(node, 'macro')?.text ?? '';
  const tree = childOf(node, 'token_tree');
  if (!tree) return;
  if (!EXPRESSION_MACROS.has(name)) binder.opaque(tree);
  else if (name === 'matches') tokens(tree.children, scope, binder, true);
  else tokens(tree.children, scope, binder, false);
};

function tokens(
  children: readonly SyntaxNode[],
  scope: Scope,
  binder: BlockBinder,
  patternsFollow: boolean,
): void {
  let patterns = false;
  for (const [index, child] of children.entries()) {
    const before = children[index - 1]?.kind;
    const after = children[index + 1]?.kind;
    if (child.kind === ',' && patternsFollow) patterns = true;
    if (patterns) binder.opaque(child);
    else if (child.kind === 'token_tree')
      nested(child, before, children[index - 2]?.text ?? '', scope, binder);
    else if (child.kind === 'format_string') tokens(child.children, scope, binder, false);
    else if (child.kind === 'identifier') token(child, before, after, scope, binder);
  }
}

/** A closure, a block or another macro inside may declare names, so only plain groups are read. */
function nested(
  tree: SyntaxNode,
  before: string | undefined,
  macroName: string,
  scope: Scope,
  binder: BlockBinder,
): void {
  const declares = tree.children.some(
    ({ kind }) => kind === '|' || kind === 'let' || kind === '=>' || kind === 'for',
  );
  if (declares || (before === '!' && !EXPRESSION_MACROS.has(macroName))) binder.opaque(tree);
  else tokens(tree.children, scope, binder, before === '!' && macroName === 'matches');
}

function token(
  leaf: SyntaxNode,
  before: string | undefined,
  after: string | undefined,
  scope: Scope,
  binder: BlockBinder,
): void {
  if (before === '.' || before === '::' || after === '::' || after === '!') return;
  if (after === ':' || after === '=' || before === '|' || after === '|') binder.table.opaque.add(leaf.text);
  else binder.table.refer(scope, leaf);
}

/** Resolves the names of a Rust form (Rust reference, "Scopes"); fields, items and types keep their names. */
export function bindRust(root: SyntaxNode, text: string): NameTable {
  return BlockBinder.bind(naming, root, text);
}
