import type { FormSource, Shaping } from '../syntax/form.ts';
import { leafOf, type SyntaxNode, withChildren, withField } from '../syntax/syntax-node.ts';
import { significantPart } from './comments.ts';
import { dropClassDoc, dropFunctionDoc, dropModuleDoc } from './python-docs.ts';
import { decodeEscapes, pythonStringValue } from './python-strings.ts';
import {
  applyRules,
  bracketed,
  dropTrailingComma,
  forKinds,
  plainNumber,
  type Rules,
  withoutTokens,
  withoutTrailingComma,
} from './tokens.ts';

/** Python: brackets, quotes, commas, `pass` and documentation strings that make no difference go. */
export const pythonShaping: Shaping = {
  comments: new Set(['comment', 'line_continuation']),
  atoms: new Set(['string_content', 'integer', 'float', 'type_conversion']),
  verbatim: new Set(['string', 'format_specifier']),
  // What reads the source of its functions may read their comments.
  significantPart: (comment, { text }) =>
    text.includes('getsource') ? comment : significantPart(comment, 'python'),
  shape: (node, parent, source) => shape(node, parent, source),
};

const rules: Rules = {
  ...forKinds(['pass_statement', ';', 'string_end'], () => []),
  ...forKinds(['list', 'list_pattern', 'set', 'dictionary'], dropTrailingComma),
  parameters: dropOldComma,
  ...forKinds(['integer', 'float'], plainNumber),
  string: shapeString,
  concatenated_string: mergeStrings,
  parenthesized_expression: unwrap,
  subscript: dropRedundantComma,
  type_parameter: dropRedundantComma,
  tuple: shapeTuple,
  expression_list: (node) => shapeTuple(withChildren(node, node.children, 'tuple')),
  tuple_pattern: (node) => {
    // Brackets without a comma only group.
    const only = bracketed(node);
    return only && only.kind !== ','
      ? withField(only, node.field)
      : shapeTuple(withChildren(node, node.children, 'pattern_list'));
  },
  pattern_list: shapeTuple,
  lambda_parameters: (node) =>
    isSplat(node.children.at(-2)) ? node : withChildren(node, dropLastComma(node.children)),
  argument_list: (node, parent, source) =>
    parent === 'class_definition' && node.children.length === 2 ? [] : dropOldComma(node, parent, source),
  import_from_statement: (node) => withChildren(node, dropLastComma(withoutTokens(node.children, '(', ')'))),
  'is not': (node) => leafOf(node, 'is not', 'is not'),
  'not in': (node) => leafOf(node, 'not in', 'not in'),
  function_definition: (node, parent, source) =>
    parent === 'decorated_definition' ? node : dropFunctionDoc(node, [], source),
  class_definition: (node, parent, source) =>
    parent === 'decorated_definition' ? node : dropClassDoc(node, [], source),
  decorated_definition: (node, _parent, source) => {
    const decorators = node.children.filter((child) => child.kind === 'decorator');
    return withChildren(
      node,
      node.children.map((child) => {
        if (child.kind === 'function_definition') return dropFunctionDoc(child, decorators, source);
        return child.kind === 'class_definition' ? dropClassDoc(child, decorators, source) : child;
      }),
    );
  },
  module: (node, _parent, source) => dropModuleDoc(node, source),
  import_statement: splitImport,
};

const shape = applyRules(rules);

const isSplat = (node: SyntaxNode | undefined): boolean => /splat/.test(node?.kind ?? '');

/** Behind `*args` a comma at the end is an error to old versions of Python. */
function dropOldComma(node: SyntaxNode, parent: string, source: FormSource): SyntaxNode {
  const [last, comma] = node.children.slice(-3);
  return comma?.kind === ',' && isSplat(last) && isOld(source)
    ? node
    : (dropTrailingComma(node, parent, source) as SyntaxNode);
}

/** A comma behind one index makes a tuple of it; behind several it says nothing. */
function dropRedundantComma(node: SyntaxNode): SyntaxNode {
  const commas = node.children.filter((child) => child.kind === ',').length;
  return commas > 1 ? withChildren(node, withoutTrailingComma(node.children)) : node;
}

function dropLastComma(children: readonly SyntaxNode[]): readonly SyntaxNode[] {
  return children.at(-1)?.kind === ',' ? children.slice(0, -1) : children;
}

/** The nesting of the tree says what brackets say; an annotated target in brackets is another statement, though. */
function unwrap(node: SyntaxNode, parent: string): SyntaxNode {
  const only = bracketed(node);
  if (!only || only.kind === 'named_expression') return node;
  return parent === 'assignment' && node.field === 'left' ? node : withField(only, node.field);
}

/** `(a, b)` and `a, b` are one tuple; a comma at the end makes a tuple only where it is the single one. */
function shapeTuple(node: SyntaxNode): SyntaxNode {
  // Whether a bare tuple may unpack depends on where it stands and on the version of Python.
  if (node.children.some(isSplat)) return node;
  const children = withoutTokens(node.children, '(', ')');
  const commas = children.filter((child) => child.kind === ',').length;
  return withChildren(node, commas > 1 ? dropLastComma(children) : children);
}

function shapeString(node: SyntaxNode, _parent: string, source: FormSource): SyntaxNode {
  const literal = source.text.slice(node.start, node.end);
  if (!node.children.some((child) => child.kind === 'interpolation'))
    return leafOf(node, 'string', pythonStringValue(literal, isOld(source)));
  const opening = node.children[0]?.text ?? '';
  const prefix = opening.replace(/["']+$/, '').toLowerCase();
  const quote = opening.slice(prefix.length);
  const children = node.children.flatMap((child) => {
    // Only newer versions of Python read such a field.
    if (child.kind === 'interpolation' && isNewField(source.text.slice(child.start, child.end), quote))
      return [leafOf(child, 'string_content', source.text.slice(child.start, child.end)), child];
    if (child.kind === 'string_start') return [leafOf(child, 'string_start', [...prefix].sort().join(''))];
    if (child.kind !== 'string_content') return [child];
    const value = prefix.includes('r') ? child.text : decodeEscapes(child.text, false);
    return [
      leafOf(child, 'string_content', value === null ? `literal:${opening}${child.text}` : `s:${value}`),
    ];
  });
  return withChildren(node, children, 'format_string');
}

const isNewField = (field: string, quote: string): boolean =>
  field.includes(quote) || field.includes('\\') || (quote.length === 1 && field.includes('\n'));

/** A file that old versions of Python read as well. */
const isOld = ({ text }: FormSource): boolean =>
  /\b(?:unicode|basestring|xrange|text_type|string_types|six|iteritems|unicode_literals)\b/.test(text);

/** Adjacent plain literals of one type are one literal. */
function mergeStrings(node: SyntaxNode): SyntaxNode {
  const parts = node.children;
  const type = parts[0]?.text.slice(0, 2) ?? '';
  const plain = parts.every((part) => part.kind === 'string' && part.text.startsWith(type));
  if (!plain || (type !== 's:' && type !== 'b:')) return node;
  return leafOf(node, 'string', type + parts.map((part) => part.text.slice(2)).join(''));
}

/** `import a, b` is `import a` and `import b`. */
function splitImport(node: SyntaxNode): readonly SyntaxNode[] {
  const [keyword, ...rest] = node.children;
  const names = rest.filter((child) => child.kind !== ',');
  if (keyword === undefined || names.length < 2) return [node];
  return names.map((name) => withChildren({ ...node, start: name.start, end: name.end }, [keyword, name]));
}
