import type { Shaping } from '../syntax/form.ts';
import { childIn, leafOf, type SyntaxNode, withChildren, withField } from '../syntax/syntax-node.ts';
import { significantPart } from './comments.ts';
import {
  applyRules,
  bracketed,
  dropTokens,
  dropTrailingComma,
  forKinds,
  plainNumber,
  withoutTokens,
} from './tokens.ts';

/** Ruby: quotes of plain strings, brackets around arguments, commas at the end and the arrows of symbol keys go. */
export const rubyShaping: Shaping = {
  comments: new Set(['comment']),
  atoms: new Set(['heredoc_content', 'heredoc_beginning', 'heredoc_end', 'character', 'simple_symbol']),
  verbatim: new Set([
    'string',
    'heredoc_body',
    'regex',
    'subshell',
    'delimited_symbol',
    'bare_string',
    'bare_symbol',
  ]),
  significantPart: (comment) => significantPart(comment, 'ruby'),
  // Where a blank before a bracket or a sign decides between an operator and an argument, it is kept.
  boundary: (before, gap, after) =>
    /^[[(*&:?{/%<-]/.test(after) &&
    /[\w?!)\]]$/.test(before) &&
    /^[ \t]+$/.test(gap) &&
    !KEYWORDS.has(before) &&
    after !== '{' &&
    after !== '=>'
      ? 'blank'
      : '',
  shape: applyRules({
    ...forKinds(
      [
        'program',
        'body_statement',
        'block_body',
        'then',
        'else',
        'do',
        'begin',
        'ensure',
        'class',
        'module',
        'method',
      ],
      dropTokens(';', 'empty_statement'),
    ),
    ...forKinds(['array', 'hash'], dropTrailingComma),
    argument_list: (node) =>
      withChildren(
        node,
        withoutTokens((dropTrailingComma(node, '', NOTHING) as SyntaxNode).children, '(', ')', 'boundary'),
      ),
    method_parameters: (node) => withChildren(node, withoutTokens(node.children, '(', ')', 'boundary')),
    parenthesized_statements: (node) => {
      const only = bracketed(node);
      return only &&
        node.field !== 'receiver' &&
        node.field !== 'method' &&
        !/statement|modifier|^(?:and|or|not)$|assignment/.test(only.kind)
        ? withField(only, node.field)
        : node;
    },
    integer: plainNumber,
    string: plainString,
    pair: symbolKey,
  }),
};

const NOTHING = { text: '', dropDoc: () => {} };
const KEYWORDS = new Set([
  'if',
  'unless',
  'while',
  'until',
  'return',
  'and',
  'or',
  'not',
  'in',
  'then',
  'do',
  'when',
  'puts',
  'yield',
  'else',
  'elsif',
  'case',
]);

/** `'a'` and `"a"`, where neither quote gives the text a meaning. */
function plainString(node: SyntaxNode): SyntaxNode {
  const inner = node.children.slice(1, -1);
  const [quote] = node.children;
  const text = inner.map((child) => child.text).join('');
  const plain =
    /^["']$/.test(quote?.text ?? '') &&
    inner.every(({ kind }) => kind === 'string_content') &&
    !/[\\#'"]/.test(text);
  return plain ? leafOf(node, 'string', `plain:${text}`) : node;
}

/** `:a => 1` and `a: 1`. */
function symbolKey(node: SyntaxNode): SyntaxNode {
  const key = childIn(node, 'key');
  const value = childIn(node, 'value');
  if (key?.kind !== 'simple_symbol' || !value || !/^:[a-zA-Z_]\w*$/.test(key.text)) return node;
  const colon: SyntaxNode = { ...leafOf(key, ':', ':'), field: null };
  return withChildren(node, [
    { ...leafOf(key, 'hash_key_symbol', key.text.slice(1)), field: 'key' },
    colon,
    value,
  ]);
}
