import type { Shaping } from '../syntax/form.ts';
import { childOf, leafOf, type SyntaxNode, withChildren } from '../syntax/syntax-node.ts';
import { significantPart } from './comments.ts';
import {
  applyRules,
  dropBrackets,
  dropTrailingComma,
  forKinds,
  plainNumber,
  sortTokens,
  unbrace,
} from './tokens.ts';

const BODIES = new Set(['body']);

/** PHP: quotes of plain strings, brackets, the long form of arrays, commas at their end and braces around one statement go. */
export const phpShaping: Shaping = {
  comments: new Set(['comment']),
  atoms: new Set(['nowdoc', 'shell_command_expression', 'text']),
  verbatim: new Set(['encapsed_string', 'string', 'heredoc', 'heredoc_body']),
  significantPart: (comment) => significantPart(comment, 'php'),
  shape: applyRules({
    // Behind arguments and parameters a comma is an error to some versions of PHP that are in use.
    match_block: dropTrailingComma,
    ...forKinds(
      [
        'if_statement',
        'else_clause',
        'else_if_clause',
        'for_statement',
        'foreach_statement',
        'while_statement',
      ],
      unbrace('compound_statement', /declaration|definition|labeled|^empty|^if_statement$/, BODIES),
    ),
    ...forKinds(
      ['property_declaration', 'method_declaration', 'const_declaration', 'class_declaration'],
      (node) =>
        withChildren(
          node,
          sortTokens(node.children, ({ kind }) => /_modifier$/.test(kind)),
        ),
    ),
    variable_name: (node) => leafOf(node, 'variable_name', node.children.map(({ text }) => text).join('')),
    array_creation_expression: shapeArray,
    list_literal: shapeArray,
    string: plainString,
    encapsed_string: plainString,
    parenthesized_expression: (node, parent, source) =>
      node.field === 'condition' || CALLS.test(parent) ? node : dropBrackets(node, parent, source),
    integer: plainNumber,
    php_tag: (node, _parent, source) =>
      leafOf(node, node.kind, outsideBefore(source.text, node.start) + node.text.trim()),
    php_end_tag: (node, _parent, source) => leafOf(node, node.kind, outsideAfter(source.text, node.start)),
    boolean: lowerCase,
    null: lowerCase,
  }),
};

/** Where brackets choose between a property's value and a method, or start a chain. */
const CALLS = /call_expression$|access_expression$|object_creation/;

/** What stands between the last closing tag, or the start of the file, and an opening tag is printed, blanks too. */
function outsideBefore(text: string, tag: number): string {
  const closing = text.lastIndexOf('?>', tag);
  return text.slice(closing < 0 ? 0 : closing + 2, tag);
}

function outsideAfter(text: string, tag: number): string {
  const opening = text.indexOf('<?', tag);
  return text.slice(tag, opening < 0 ? text.length : opening);
}

function lowerCase(node: SyntaxNode): SyntaxNode {
  return leafOf(node, node.kind, node.text.toLowerCase());
}

/** `array(1, 2,)` is `[1, 2]`, and `list(…)` is `[…]` on the left. */
function shapeArray(node: SyntaxNode): SyntaxNode {
  const square = node.children
    .filter(({ kind }) => kind !== 'array' && kind !== 'list')
    .map((child) => {
      if (child.kind === '(') return leafOf(child, '[', '[');
      return child.kind === ')' ? leafOf(child, ']', ']') : child;
    });
  const bare = withChildren(node, square);
  return node.kind === 'list_literal'
    ? bare
    : (dropTrailingComma(bare, '', { text: '', dropDoc: () => {} }) as SyntaxNode);
}

/** `'a'` and `"a"`, where neither quote gives the text a meaning. */
function plainString(node: SyntaxNode): SyntaxNode {
  const inner = node.children.slice(1, -1);
  const text = inner.map((child) => child.text).join('');
  const plain =
    inner.every(({ kind }) => kind === 'string_content') &&
    !/[\\$'"{}]/.test(text) &&
    !childOf(node, 'interpolation');
  return plain ? leafOf(node, 'string', `plain:${text}`) : node;
}
