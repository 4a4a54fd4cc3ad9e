import type { FormSource, Shaping } from '../syntax/form.ts';
import { childIn, leafOf, type SyntaxNode, withField } from '../syntax/syntax-node.ts';
import { significantPart } from './comments.ts';
import {
  applyRules,
  bracketed,
  dropTokens,
  dropTrailingComma,
  forKinds,
  type Rule,
  unbrace,
} from './tokens.ts';

const BODIES = new Set(['body', 'consequence']);

/** Where brackets in C and C++ can only group: not around arguments (macros), callees, or what `decltype` looks at. */
const GROUPING = new Set([
  'binary_expression',
  'parenthesized_expression',
  'assignment_expression',
  'init_declarator',
  'conditional_expression',
  'unary_expression',
  'return_statement',
]);

const dropGrouping: Rule = (node, parent, source) => {
  const only = bracketed(node);
  const groups =
    GROUPING.has(parent) && !(parent === 'return_statement' && source.text.includes('decltype(auto)'));
  return only && groups && only.kind !== 'comma_expression' ? withField(only, node.field) : node;
};

const dropBraces = unbrace('compound_statement', /declaration|^;$|labeled|attributed|case/, BODIES);

/** A macro may be several statements, of which braces hold all. */
const dropSafeBraces: Rule = (node, parent, source) => {
  const isMacro = node.children.some(
    (child) => child.kind === 'compound_statement' && callsMacro(child.children[1], source),
  );
  return isMacro ? node : dropBraces(node, parent, source);
};

function callsMacro(statement: SyntaxNode | undefined, source: FormSource): boolean {
  const call = statement?.kind === 'expression_statement' ? statement.children[0] : undefined;
  const name = call && (call.kind === 'call_expression' ? childIn(call, 'function') : call)?.text;
  if (!name || !/^\w+$/.test(name)) return false;
  return /^[A-Z][A-Z0-9_]+$/.test(name) || macrosOf(source).has(name);
}

const macros = new WeakMap<FormSource, ReadonlySet<string>>();

function macrosOf(source: FormSource): ReadonlySet<string> {
  const known = macros.get(source);
  if (known) return known;
  const found = new Set(
    [...source.text.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)/gm)].map(([, name = '']) => name),
  );
  macros.set(source, found);
  return found;
}

/** C and C++: braces around one statement, brackets that only group and commas at the end go; the preprocessor's lines stay. */
export const cShaping: Shaping = {
  comments: new Set(['comment']),
  atoms: new Set([
    'string_literal',
    'char_literal',
    'raw_string_literal',
    'system_lib_string',
    'preproc_arg',
  ]),
  verbatim: new Set(['preproc_def', 'preproc_call']),
  blank: /\\\r?\n/g,
  significantPart: (comment) => significantPart(comment, 'c'),
  boundary: (before, gap, after) => (after === '(' && gap === '' && before.startsWith('#') ? 'joined' : ''),
  shape: applyRules({
    initializer_list: dropTrailingComma,
    ...forKinds(
      ['if_statement', 'else_clause', 'for_statement', 'for_range_loop', 'while_statement'],
      dropSafeBraces,
    ),
    field_declaration_list: dropTokens(';'),
    parenthesized_expression: dropGrouping,
    preproc_arg: (node) => leafOf(node, node.kind, node.text.replaceAll('\r\n', '\n').trim()),
  }),
};
