import type { Shaping } from '../syntax/form.ts';
import { type SyntaxNode, withChildren, withField } from '../syntax/syntax-node.ts';
import { significantPart } from './comments.ts';
import {
  applyRules,
  dropBrackets,
  dropTrailingComma,
  forKinds,
  listParameter,
  plainNumber,
  sortTokens,
  unbrace,
} from './tokens.ts';

const BODIES = new Set(['body', 'consequence', 'alternative']);
const isModifier = (child: SyntaxNode): boolean => child.kind === 'modifier';
const MEMBERS = [
  'class_declaration',
  'struct_declaration',
  'interface_declaration',
  'record_declaration',
  'enum_declaration',
  'field_declaration',
  'property_declaration',
  'method_declaration',
  'constructor_declaration',
  'event_field_declaration',
  'indexer_declaration',
  'operator_declaration',
  'delegate_declaration',
  'local_function_statement',
];

/** C#: brackets, braces around one statement, commas at the end, regions and the order of modifiers go. */
export const csharpShaping: Shaping = {
  comments: new Set(['comment', 'preproc_region', 'preproc_endregion']),
  atoms: new Set(['string_literal', 'character_literal', 'verbatim_string_literal', 'raw_string_literal']),
  verbatim: new Set([
    'interpolated_string_expression',
    'interpolation_format_clause',
    'interpolation_alignment_clause',
  ]),
  significantPart: (comment) => significantPart(comment, 'csharp'),
  shape: applyRules({
    ...forKinds(
      [
        'initializer_expression',
        'enum_member_declaration_list',
        'anonymous_object_creation_expression',
        'switch_expression',
        'property_pattern_clause',
      ],
      dropTrailingComma,
    ),
    ...forKinds(
      ['if_statement', 'for_statement', 'foreach_statement', 'while_statement'],
      unbrace('block', /declaration|^;$|labeled|function|^empty/, BODIES),
    ),
    ...forKinds(MEMBERS, (node) => withChildren(node, sortTokens(node.children, isModifier))),
    parenthesized_expression: dropBrackets,
    integer_literal: plainNumber,
    lambda_expression: (node) =>
      node.children.some(({ kind }) => kind === 'implicit_parameter')
        ? listParameter(node, 'parameters', 'parameter_list', (name) =>
            withChildren(name, [withField(name, 'name')], 'parameter'),
          )
        : node,
  }),
};
