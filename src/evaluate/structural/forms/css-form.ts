import type { Shaping } from '../syntax/form.ts';
import { leafOf, type SyntaxNode, withChildren } from '../syntax/syntax-node.ts';
import { significantPart } from './comments.ts';
import { applyRules, dropTokens } from './tokens.ts';

/** CSS: white space next to punctuation, the last semicolon, quotes and the spelling of numbers and hex colours go. */
export const cssShaping: Shaping = {
  comments: new Set(['comment', 'js_comment']),
  atoms: new Set(['integer_value', 'float_value', 'color_value', 'string_value', 'plain_value']),
  verbatim: new Set(),
  significantPart: (comment) => significantPart(comment, 'css'),
  boundary: (before, gap, after) =>
    before !== '' && /\s/.test(gap) && !/[{};,>~(:]$/.test(before) && !/^[{};,>~)!]/.test(after) ? ' ' : '',
  shape: applyRules({
    declaration: dropTokens(';'),
    // It counts as the first bytes of the file only.
    charset_statement: (node) =>
      withChildren(node, node.children, node.start === 0 ? node.kind : 'late_charset_statement'),
    integer_value: plainLength,
    float_value: plainLength,
    color_value: (node) => leafOf(node, node.kind, node.text.toLowerCase()),
    string_value: plainString,
  }),
};

/** `.5em`, `0.5em` and `0.50em`. */
function plainLength(node: SyntaxNode): SyntaxNode {
  const found = /^([+-]?)0*(\d*)(?:\.(\d*?)0*)?((?:[a-z]+|%)?)$/i.exec(node.text);
  if (!found || /e\d/i.test(node.text)) return leafOf(node, 'number', node.text);
  const [, sign = '', whole = '', part = '', unit = ''] = found;
  const minus = sign === '-' ? '-' : sign;
  return leafOf(node, 'number', `${minus}${whole || '0'}${part ? `.${part}` : ''}${unit.toLowerCase()}`);
}

function plainString(node: SyntaxNode): SyntaxNode {
  const body = node.text.slice(1, -1);
  return /["'\\]/.test(body) ? node : leafOf(node, node.kind, `"${body}"`);
}
