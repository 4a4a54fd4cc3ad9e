import type { Shaping } from '../syntax/form.ts';
import { childIn, childOf, type SyntaxNode, withChildren } from '../syntax/syntax-node.ts';
import { significantPart } from './comments.ts';
import {
  applyRules,
  dropBrackets,
  dropTokens,
  dropTrailingComma,
  forKinds,
  plainNumber,
  withoutTokens,
} from './tokens.ts';

/** Go: semicolons, brackets, commas and the grouping of imports and parameters go. */
export const goShaping: Shaping = {
  comments: new Set(['comment']),
  atoms: new Set(['interpreted_string_literal', 'raw_string_literal', 'rune_literal']),
  verbatim: new Set(),
  significantPart(comment, source, start) {
    // What stands before `import "C"` is source of another language.
    const isRead = source.text.includes('import "C"') || isExpectedOutput(source.text, start);
    const kept = isRead ? comment : significantPart(comment, 'go');
    // A blank line parts a build constraint, or C, from a description of what follows.
    const end = start + comment.length;
    const follows = /^[ \t]*\n[ \t]*\n/.test(source.text.slice(end, end + 200));
    return kept === '' ? '' : `${kept}${follows ? '\n' : ''}`;
  },
  shape: applyRules({
    ...forKinds(
      [
        'statement_list',
        'field_declaration_list',
        'interface_type',
        'const_declaration',
        'type_declaration',
        'source_file',
      ],
      dropTokens(';', '\n'),
    ),
    ...forKinds(
      ['argument_list', 'literal_value', 'type_arguments', 'type_parameter_list'],
      dropTrailingComma,
    ),
    parameter_list: (node) => splitParameters(dropTrailingComma(node, '', NOTHING) as SyntaxNode),
    parenthesized_expression: dropBrackets,
    int_literal: plainNumber,
    import_declaration: flattenImports,
    var_declaration: dropTokens(';', '\n'),
  }),
};

const OUTPUT = /^\/\/\s*(?:unordered )?output:/i;

/** What an example has to print goes on for as many lines of comments as stand together. */
function isExpectedOutput(text: string, start: number): boolean {
  for (let end = start; end > 0; ) {
    const from = text.lastIndexOf('\n', end - 1) + 1;
    const line = (from === end ? '' : text.slice(from, end)).trim();
    if (end !== start && !line.startsWith('//')) return false;
    if (OUTPUT.test(line)) return true;
    if (end === start && line !== '') return false;
    end = from - 1;
  }
  return false;
}

const NOTHING = { text: '', dropDoc: () => {} };

/** `import ("a"; "b")` is `import "a"` and `import "b"`. */
function flattenImports(node: SyntaxNode): readonly SyntaxNode[] {
  const list = childOf(node, 'import_spec_list');
  const specs = (list ?? node).children.filter(
    (child) => child.kind === 'import_spec' || child.kind === 'significant_comment',
  );
  return specs.map((spec) =>
    spec.kind === 'import_spec' ? withChildren({ ...node, start: spec.start, end: spec.end }, [spec]) : spec,
  );
}

/** `a, b int` is `a int, b int`. */
function splitParameters(node: SyntaxNode): SyntaxNode {
  const children = node.children.flatMap((child) => {
    const names = child.children.filter((part) => part.field === 'name');
    const type = childIn(child, 'type');
    if (child.kind !== 'parameter_declaration' || names.length < 2 || !type) return [child];
    const comma = withoutTokens(child.children).find((part) => part.kind === ',') as SyntaxNode;
    return names.flatMap((name, index) => {
      const single = withChildren({ ...child, start: name.start }, [name, type]);
      return index === 0 ? [single] : [comma, single];
    });
  });
  return withChildren(node, children);
}
