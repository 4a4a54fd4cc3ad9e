import type { Shaping } from '../syntax/form.ts';
import { significantPart } from './comments.ts';
import { applyRules, dropTokens, forKinds, type Rule } from './tokens.ts';

/** An alias is known from the line behind its own on, so lines count where there is one. */
const dropLineEnds: Rule = (node, parent, source) =>
  /\balias\b/.test(source.text) ? node : dropTokens(';', '\n')(node, parent, source);

/** Bash: line ends and semicolons between commands are one thing; words, quotes and here-documents stay as they are. */
export const bashShaping: Shaping = {
  comments: new Set(['comment']),
  atoms: new Set(['raw_string', 'ansi_c_string', 'word', 'regex', 'extglob_pattern']),
  verbatim: new Set([
    'string',
    'heredoc_body',
    'heredoc_redirect',
    'expansion',
    'concatenation',
    'translated_string',
  ]),
  blank: /\\\r?\n/g,
  significantPart: (comment) => significantPart(comment, 'bash'),
  // A continued line without a blank joins two words, which the grammar's tree does not always show.
  boundary: (_before, gap) => (gap.includes('\\\n') && gap.replaceAll('\\\n', '') === '' ? 'joined' : ''),
  shape: applyRules(
    forKinds(
      [
        'program',
        'compound_statement',
        'do_group',
        'if_statement',
        'elif_clause',
        'else_clause',
        'subshell',
        'for_statement',
        'while_statement',
        'case_item',
        'command_substitution',
        'process_substitution',
      ],
      dropLineEnds,
    ),
  ),
};
