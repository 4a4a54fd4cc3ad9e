import type { Shaping } from '../syntax/form.ts';
import { type SyntaxNode, withChildren } from '../syntax/syntax-node.ts';
import { significantPart } from './comments.ts';
import {
  applyRules,
  dropBrackets,
  dropTokens,
  dropTrailingComma,
  forKinds,
  listParameter,
  plainNumber,
  sortTokens,
  unbrace,
} from './tokens.ts';

const BODIES = new Set(['body', 'consequence', 'alternative']);

/** Java: brackets, braces around one statement, commas at the end and the order of modifiers go. */
export const javaShaping: Shaping = {
  comments: new Set(['line_comment', 'block_comment']),
  atoms: new Set(['string_literal', 'character_literal']),
  verbatim: new Set(['template_expression']),
  significantPart: (comment) => significantPart(comment, 'java'),
  shape: applyRules({
    ...forKinds(['array_initializer', 'enum_body', 'element_value_array_initializer'], dropTrailingComma),
    ...forKinds(
      ['if_statement', 'for_statement', 'enhanced_for_statement', 'while_statement'],
      unbrace('block', /declaration|^;$|labeled/, BODIES),
    ),
    class_body: dropTokens(';'),
    interface_body: dropTokens(';'),
    parenthesized_expression: (node, parent, source) =>
      node.field === 'condition' ? node : dropBrackets(node, parent, source),
    decimal_integer_literal: plainNumber,
    lambda_expression: (node) => listParameter(node, 'parameters', 'inferred_parameters'),
    modifiers: (node) => withChildren(node, sortTokens(node.children, isKeyword)),
  }),
};

const isKeyword = (child: SyntaxNode): boolean => child.children.length === 0 && /^[a-z-]+$/.test(child.kind);
