import type { FormSource, Shaping } from '../syntax/form.ts';
import { childIn, childOf, leafOf, type SyntaxNode, withChildren, withField } from '../syntax/syntax-node.ts';
import { significantPart } from './comments.ts';
import { ecmascriptStringValue, jsxTextValue } from './ecmascript-strings.ts';
import {
  applyRules,
  dropTokens,
  dropTrailingComma,
  forKinds,
  listParameter,
  numberText,
  type Rules,
  unbrace,
  withoutTokens,
} from './tokens.ts';

function ecmascriptShaping(family: 'javascript' | 'typescript'): Shaping {
  return {
    comments: new Set(['comment', 'html_comment']),
    atoms: new Set(['regex', 'string_fragment', 'jsx_text', 'hash_bang_line']),
    verbatim: new Set(['template_string', 'template_literal_type']),
    significantPart: (comment) => significantPart(comment, family),
    boundary,
    shape: applyRules(rules),
  };
}

/** Words that mean something else when the name behind them stands on the next line. */
const BINDS_NAME = new Set(
  'async type declare abstract namespace module interface static get set accessor readonly public private protected override using'.split(
    ' ',
  ),
);

function boundary(before: string, gap: string, after: string): string {
  if (!gap.includes('\n')) return '';
  if (BINDS_NAME.has(before) && /^[\w$#[{*'"`]/.test(after)) return 'line break';
  if (after === 'as' || after === 'satisfies') return 'line break';
  // After a value these bind to it only on its own line.
  return /^(?:\+\+|--|!)$/.test(after) && /[\w$)\]'"`]$/.test(before) ? 'line break' : '';
}

const BODIES = new Set(['body', 'consequence']);

const rules: Rules = {
  ...forKinds(
    ['program', 'statement_block', 'switch_case', 'switch_default', 'class_body'],
    dropTokens(';', 'empty_statement'),
  ),
  ...forKinds(
    [
      'expression_statement',
      'lexical_declaration',
      'variable_declaration',
      'return_statement',
      'throw_statement',
      'break_statement',
      'continue_statement',
      'debugger_statement',
      'do_statement',
      'import_statement',
      'export_statement',
      'type_alias_declaration',
      'function_signature',
      'import_alias',
      'ambient_declaration',
    ],
    dropTokens(';'),
  ),
  ...forKinds(['interface_body', 'object_type'], dropTokens(';', ',')),
  ...forKinds(
    ['if_statement', 'else_clause', 'for_statement', 'for_in_statement', 'while_statement'],
    unbrace('statement_block', /declaration|^labeled_statement$/, BODIES),
  ),
  ...forKinds(
    [
      'object',
      'object_pattern',
      'array',
      'array_pattern',
      'arguments',
      'named_imports',
      'export_clause',
      'enum_body',
      'tuple_type',
      'type_parameters',
      'type_arguments',
      'formal_parameters',
    ],
    dropTrailingComma,
  ),
  arrow_function: (node) => listParameter(node, 'parameter', 'formal_parameters'),
  required_parameter: (node) =>
    node.children.length === 1 ? withField(node.children[0] as SyntaxNode, null) : node,
  string: (node, parent) =>
    node.children.length === 0
      ? node
      : leafOf(
          node,
          'string',
          parent === 'jsx_attribute' ? `jsx:${inner(node)}` : ecmascriptStringValue(quoted(node)),
        ),
  number: (node) =>
    leafOf(
      node,
      'number',
      /^0\d|n$/.test(node.text) ? node.text : numberText(node.text).replace(/^(?:int|float):/, ''),
    ),
  parenthesized_expression: unwrap,
  parenthesized_type: unwrapType,
  pair: (node) => withChildren(node, plainKey(node)),
  pair_pattern: (node) => withChildren(node, plainKey(node)),
  property_signature: plainNamed,
  shorthand_property_identifier: expandShorthand,
  shorthand_property_identifier_pattern: (node, parent) =>
    parent === 'object_pattern' ? expandShorthand(node, parent) : leafOf(node, 'identifier', node.text),
  object_assignment_pattern: expandDefault,
  import_specifier: doubleName,
  export_specifier: doubleName,
  union_type: dropLeadingBar,
  intersection_type: dropLeadingBar,
  jsx_element: mergeJsxText,
  jsx_fragment: mergeJsxText,
  jsx_text: shapeJsxText,
  jsx_expression: (node) => (node.children.length === 2 ? [] : node),
};

/** JavaScript: semicolons, quotes, brackets, commas and shorthands that make no difference go. */
export const javascriptShaping: Shaping = ecmascriptShaping('javascript');
/** TypeScript and TSX: the same; types count in full. */
export const typescriptShaping: Shaping = ecmascriptShaping('typescript');

const quoted = (node: SyntaxNode): string => node.children.map((child) => child.text).join('');
const inner = (node: SyntaxNode): string =>
  node.children
    .slice(1, -1)
    .map((child) => child.text)
    .join('');

const CHAINED = new Set([
  'member_expression',
  'subscript_expression',
  'call_expression',
  'non_null_expression',
  'instantiation_expression',
]);

/**
 * Brackets go where nesting says the same. They stay where they end an optional chain, keep a string from being a
 * directive, or stand on the left of an assignment (where they stop a function from taking the name).
 */
function unwrap(node: SyntaxNode, parent: string, { text }: FormSource): SyntaxNode {
  const kept = withoutTokens(node.children, '(', ')');
  const [only] = kept;
  if (!only || kept.length !== 1) return node;
  if (CHAINED.has(parent) && hasOptionalChain(only)) return node;
  if (parent === 'expression_statement' && only.kind === 'string') return node;
  // A documented type behind which brackets stand is a cast.
  if (/\*\/\s*$/.test(text.slice(Math.max(0, node.start - 40), node.start))) return node;
  if (node.field === 'left' && parent.includes('assignment')) return node;
  return withField(only, node.field);
}

function hasOptionalChain(node: SyntaxNode): boolean {
  if (!CHAINED.has(node.kind)) return false;
  if (childOf(node, 'optional_chain') || childOf(node, '?.')) return true;
  const next = childIn(node, 'object') ?? childIn(node, 'function') ?? node.children[0];
  return next !== undefined && hasOptionalChain(next);
}

function unwrapType(node: SyntaxNode): SyntaxNode {
  const kept = withoutTokens(node.children, '(', ')');
  const [only] = kept;
  return only && kept.length === 1 ? withField(only, node.field) : node;
}

/** `{'a': 1}` and `{a: 1}`; `__proto__` is left alone. */
function plainKey(node: SyntaxNode): readonly SyntaxNode[] {
  return node.children.map((child) => (child.field === 'key' ? plainProperty(child) : child));
}

function plainNamed(node: SyntaxNode): SyntaxNode {
  return withChildren(
    node,
    node.children.map((child) => (child.field === 'name' ? plainProperty(child) : child)),
  );
}

function plainProperty(node: SyntaxNode): SyntaxNode {
  const name = node.kind === 'string' && node.text.startsWith('s:') ? node.text.slice(2) : '';
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__'
    ? leafOf(node, 'property_identifier', name)
    : node;
}

/** `{a}` is `{a: a}`, in objects and patterns. */
function expandShorthand(node: SyntaxNode, parent: string): SyntaxNode {
  if (node.text === '__proto__') return node;
  const colon: SyntaxNode = { ...leafOf(node, ':', ':'), field: null };
  const key = { ...leafOf(node, 'property_identifier', node.text), field: 'key' };
  const value = { ...leafOf(node, 'identifier', node.text), field: 'value' };
  return withChildren(node, [key, colon, value], parent === 'object' ? 'pair' : 'pair_pattern');
}

/** `{a = 1}` in a pattern is `{a: a = 1}`. */
function expandDefault(node: SyntaxNode): SyntaxNode {
  const left = childIn(node, 'left');
  if (left?.kind !== 'identifier') return node;
  const value = { ...withChildren(node, node.children, 'assignment_pattern'), field: 'value' };
  const colon: SyntaxNode = { ...leafOf(left, ':', ':'), field: null };
  const key = { ...leafOf(left, 'property_identifier', left.text), field: 'key' };
  return withChildren(node, [key, colon, value], 'pair_pattern');
}

/** `{a}` in an import or export clause is `{a as a}`. */
function doubleName(node: SyntaxNode): SyntaxNode {
  const name = childIn(node, 'name');
  if (!name || childIn(node, 'alias') || name.kind !== 'identifier') return node;
  const as: SyntaxNode = { ...leafOf(name, 'as', 'as'), field: null };
  return withChildren(node, [...node.children, as, withField({ ...name }, 'alias')]);
}

/** `| 'a' | 'b'` and `'a' | 'b'`. */
function dropLeadingBar(node: SyntaxNode): SyntaxNode {
  const [bar, type] = node.children;
  return node.children.length === 2 && bar && type && /^[|&]$/.test(bar.kind)
    ? withField(type, node.field)
    : node;
}

/** `a{' '}b` shows what `a b` shows: neighbouring texts are one. */
function mergeJsxText(node: SyntaxNode): SyntaxNode {
  const children: SyntaxNode[] = [];
  for (const child of node.children) {
    const text = jsxTextOf(child);
    const last = children.at(-1);
    if (text === null) children.push(child);
    else if (last?.kind === 'jsx_text')
      children[children.length - 1] = leafOf(last, 'jsx_text', last.text + text);
    else children.push({ ...leafOf(child, 'jsx_text', text), field: null });
  }
  return withChildren(node, children);
}

/** The text that a child of an element shows by itself; entities and escapes are left alone. */
function jsxTextOf(child: SyntaxNode): string | null {
  if (child.kind === 'jsx_text') return child.text.includes('&') ? null : child.text;
  const [, string] = child.children;
  const isText = child.kind === 'jsx_expression' && child.children.length === 3 && string?.kind === 'string';
  return isText && /^s:[^&]*$/.test(string.text) ? string.text.slice(2) : null;
}

function shapeJsxText(node: SyntaxNode): SyntaxNode | readonly SyntaxNode[] {
  const value = jsxTextValue(node.text);
  return value === '' ? [] : leafOf(node, 'jsx_text', value);
}
