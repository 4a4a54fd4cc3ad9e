import type { Shaping } from '../syntax/form.ts';
import { childIn, childOf, leafOf, type SyntaxNode, withChildren, withField } from '../syntax/syntax-node.ts';
import { rustSignificantPart } from './rust-docs.ts';
import { splitUse } from './rust-uses.ts';
import {
  applyRules,
  dropBrackets,
  dropTrailingComma,
  forKinds,
  plainNumber,
  withoutTokens,
  withoutTrailingComma,
} from './tokens.ts';

/** Macros of the standard library whose arguments are expressions, and whose texts name variables. */
export const formatMacros = new Set([
  'format',
  'print',
  'println',
  'eprint',
  'eprintln',
  'write',
  'writeln',
  'panic',
  'assert',
  'assert_eq',
  'assert_ne',
  'debug_assert',
  'debug_assert_eq',
  'debug_assert_ne',
  'unreachable',
  'todo',
  'unimplemented',
  'format_args',
  'bail',
  'anyhow',
  'ensure',
]);

/** Rust: brackets, blocks around one expression, commas at the end and the shorthand of fields go. */
export const rustShaping: Shaping = {
  comments: new Set(['line_comment', 'block_comment']),
  atoms: new Set(['raw_string_literal', 'char_literal']),
  verbatim: new Set(['string_literal']),
  significantPart: rustSignificantPart,
  shape: applyRules({
    ...forKinds(
      [
        'arguments',
        'parameters',
        'field_declaration_list',
        'enum_variant_list',
        'ordered_field_declaration_list',
        'use_list',
        'array_expression',
        'field_initializer_list',
        'type_arguments',
        'type_parameters',
        'tuple_struct_pattern',
        'struct_pattern',
        'slice_pattern',
      ],
      dropTrailingComma,
    ),
    ...forKinds(['tuple_expression', 'tuple_pattern', 'tuple_type'], (node) =>
      node.children.length > 4 ? withChildren(node, dropLast(node)) : node,
    ),
    ...forKinds(['source_file', 'declaration_list'], attachAttributes),
    integer_literal: plainNumber,
    parenthesized_expression: dropBrackets,
    match_arm: (node) => withChildren(node, withoutTokens(node.children, ',').map(unblock)),
    closure_expression: (node) => withChildren(node, node.children.map(unblock)),
    shorthand_field_initializer: expandInitializer,
    field_pattern: expandPattern,
    macro_invocation: shapeMacro,
    attribute: (node) => (node.children[0]?.text === 'derive' ? withBareTokens(node) : node),
    block: dropLastSemicolon,
  }),
};

const dropLast = (node: SyntaxNode): readonly SyntaxNode[] =>
  (dropTrailingComma(node, '', { text: '', dropDoc: () => {} }) as SyntaxNode).children;

/** Attributes and the item below them are one thing: they only move together. */
function attachAttributes(node: SyntaxNode): SyntaxNode {
  const children: SyntaxNode[] = [];
  let waiting: SyntaxNode[] = [];
  for (const child of node.children)
    if (
      child.kind === 'attribute_item' ||
      (child.kind === 'significant_comment' && /^\/\/\/|^\/\*\*/.test(child.text))
    )
      waiting.push(child);
    else if (waiting.length === 0)
      children.push(...(child.kind === 'use_declaration' ? splitUse(child) : [child]));
    else {
      const first = waiting[0] as SyntaxNode;
      children.push({
        kind: 'attributed',
        field: null,
        text: '',
        children: [...waiting, child],
        start: first.start,
        end: child.end,
      });
      waiting = [];
    }
  return withChildren(node, [...children, ...waiting]);
}

/** `=> { x }` is `=> x`, and so is the body of a closure. */
function unblock(child: SyntaxNode): SyntaxNode {
  if (
    child.kind !== 'block' ||
    (child.field !== 'value' && child.field !== 'body') ||
    child.children.length !== 3
  )
    return child;
  const only = child.children[1] as SyntaxNode;
  return /_statement$|_declaration$|_item$|comment$|^block$/.test(only.kind)
    ? child
    : withField(only, child.field);
}

/** `S { a }` is `S { a: a }`. */
function expandInitializer(node: SyntaxNode): SyntaxNode {
  const name = childOf(node, 'identifier');
  if (!name || node.children.length !== 1) return node;
  const part = (kind: string, field: string | null, text: string): SyntaxNode => ({
    ...leafOf(name, kind, text),
    field,
  });
  return withChildren(
    node,
    [
      part('field_identifier', 'field', name.text),
      part(':', null, ':'),
      part('identifier', 'value', name.text),
    ],
    'field_initializer',
  );
}

/** `S { a, .. }` in a pattern is `S { a: a, .. }`. */
function expandPattern(node: SyntaxNode): SyntaxNode {
  const name = node.children.find(({ kind }) => kind === 'shorthand_field_identifier');
  if (!name) return node;
  const part = (kind: string, field: string | null, text: string): SyntaxNode => ({
    ...leafOf(name, kind, text),
    field,
  });
  const others = node.children.filter((child) => child !== name);
  const plain = part('identifier', 'pattern', name.text);
  const pattern =
    others.length === 0
      ? plain
      : withChildren({ ...node, field: 'pattern' }, [...others, withField(plain, null)], 'mut_pattern');
  return withChildren(node, [part('field_identifier', 'name', name.text), part(':', null, ':'), pattern]);
}

/** `return x;` at the end of a block is `return x`. */
function dropLastSemicolon(node: SyntaxNode): SyntaxNode {
  const last = node.children.length - 2;
  const statement = node.children[last];
  const [jump] = statement?.children ?? [];
  if (
    statement?.kind !== 'expression_statement' ||
    statement.children.length !== 2 ||
    !jump ||
    !/^(?:return|break|continue)_expression$/.test(jump.kind)
  )
    return node;
  return withChildren(
    node,
    node.children.map((child, index) => (index === last ? jump : child)),
  );
}

/** A comma at the end of what a macro of the standard library takes says nothing. */
function shapeMacro(node: SyntaxNode): SyntaxNode {
  const name = childIn(node, 'macro')?.text ?? '';
  if (name !== 'vec' && !formatMacros.has(name)) return node;
  const bare = withBareTokens(node);
  return name === 'vec' ? bare : splitFormat(bare);
}

function withBareTokens(node: SyntaxNode): SyntaxNode {
  return withChildren(
    node,
    node.children.map((child) =>
      child.kind === 'token_tree' ? withChildren(child, withoutTrailingComma(child.children)) : child,
    ),
  );
}

/** `"{x}"` names `x`: the text is split so that the names in it are seen. */
function splitFormat(node: SyntaxNode): SyntaxNode {
  const tree = childOf(node, 'token_tree');
  const literal = tree && childOf(tree, 'string_literal');
  const content = literal && childOf(literal, 'string_content');
  if (!tree || !literal || !content || literal.children.length !== 3) return node;
  const parts: SyntaxNode[] = [];
  let reached = 0;
  for (const found of content.text.matchAll(/(?<=(?<!\{)(?:\{\{)*\{)([a-zA-Z_]\w*)(?=[:}])/g)) {
    parts.push(leafOf(content, 'string_content', content.text.slice(reached, found.index)));
    parts.push({ ...leafOf(content, 'identifier', found[0]), start: content.start + found.index });
    reached = found.index + found[0].length;
  }
  parts.push(leafOf(content, 'string_content', content.text.slice(reached)));
  const split = withChildren(literal, parts, 'format_string');
  const inside = withChildren(
    tree,
    tree.children.map((child) => (child === literal ? split : child)),
  );
  return withChildren(
    node,
    node.children.map((child) => (child === tree ? inside : child)),
  );
}
