import type { ChangeClass } from './proof.ts';

/** What a goal calls the text of a program, as opposed to what the program works on. */
const CODE =
  '(?:code|source|sources|module|modules|file|files|function|functions|method|methods|class|classes|script|scripts|component|components|implementation|style|stylesheet|codebase|repository|import|imports)';
/** The same without what a program works on, too: files are cleaned up, classes are tidied by a school. */
const PROGRAM = CODE.replace('file|files|', '').replace('class|classes|', '');
const NAMES =
  '(?:variables?|locals?|functions?|methods?|class(?:es)?|constants?|parameters?|arguments?|fields?|modules?|identifiers?|symbols?|types?|helpers?|names?)';
const FORMATTERS =
  '(?:gofmt|goimports|rustfmt|prettier|black|ruff|biome|clang-format|isort|autopep8|yapf|shfmt|standardrb|rubocop|eslint|stylelint|php-cs-fixer|ktlint|dotnet format|google-java-format|spotless)';

const any = (...patterns: string[]): RegExp => new RegExp(patterns.join('|'), 'i');
/** The first pattern followed by the second within a few words. */
const near = (first: string, second: string): string => `${first}[^.\\n]{0,40}?${second}`;
const both = (one: string, other: string): string => `${near(one, other)}|${near(other, one)}`;

/** Words of a goal that ask for any kind of tidying. */
export const tidying = any(
  '\\brefactor\\w*',
  '\\bmaintainab\\w*',
  '\\breadability\\b',
  '\\bcosmetic\\w*',
  '\\bcode (?:quality|hygiene|style|clean-?up)\\b',
  near(
    '\\b(?:clean(?:s|ed|ing)?[ -]?up|tid(?:y|ied|ies|ying)|polish\\w*|moderni[sz]\\w*|restructur\\w*|housekeeping|simplif\\w*)\\b',
    `\\b${PROGRAM}\\b`,
  ),
  both(`\\b${PROGRAM}\\b`, '\\b(?:readable|legible|tidy|neat)\\b'),
);

const FORMAT = [
  `\\b${FORMATTERS}\\b`,
  '\\blint(?:s|er|ing|ed)?\\b',
  '\\bstyle ?guide\\b',
  '\\b(?:consistent|code|coding|house) style\\b',
  '\\bPEP ?8\\b',
  '\\bre-?format\\w*',
  '\\bauto-?format\\w*',
  both('\\bformat(?:s|ted|ting|ter)?\\b', `\\b(?:${CODE}|consistently|consistent|uniformly|alike)\\b`),
  '\\bindent\\w*',
  '\\bwhite ?space\\b',
  '\\bline (?:length|width)s?\\b',
  '\\b(?:single|double) quotes?\\b',
  '\\bquote style\\b',
  '\\bsemicolons?\\b',
  '\\btrailing (?:commas?|blanks?|spaces?|new ?lines?|white ?space)\\b',
  '\\bpretty-?print\\w*',
  '\\bminif\\w*',
  '\\bone per line\\b',
  '\\b(?:one|its own|own|separate|single) lines?\\b',
  '\\blaid out\\b',
  near('\\b(?:blank|empty) lines?\\b', '\\bbetween\\b'),
  both('\\btabs?\\b', '\\b(?:blanks|spaces)\\b'),
  '\\bline[- ]?(?:ends?|endings?)\\b',
  '\\bCRLF\\b',
  '\\bbyte order mark\\b',
];

const ORDER = [
  '\\b(?:re-?)?order(?:ed|ing|s)?\\b',
  '\\bsort(?:s|ed|ing)?\\b',
  '\\balphabet\\w*',
  '\\barrang\\w+\\b',
  '\\bgroup(?:ed|ing)?\\b',
  '\\bmov(?:e|es|ed|ing)\\b',
  '\\bsequence\\b',
  '\\bposition\\w*',
  '\\b(?:comes?|stands?|placed?|goes) (?:first|last|before|after|above|below|at the (?:top|end|bottom))\\b',
];

/** Words of a goal that ask for one class of change. */
export const asked: Readonly<Record<ChangeClass, RegExp>> = {
  whitespace: any(...FORMAT),
  format: any(...FORMAT),
  comment: any(
    '\\bcomment(?:s|ed|ing|ary)?\\b',
    '\\bdocs?\\b',
    '\\bdocstrings?\\b',
    '\\bdocument(?:ed|ation|ing)\\b',
    '\\b(?:un|well-?)documented\\b',
    '\\bdocuments? (?:the|how|each|every|what|why|all|its|that|which|when)\\b',
    '\\btypos?\\b',
    '\\bspelling\\b',
    '\\bmisspell\\w*',
    '\\bwording\\b',
    '\\bgrammatical\\b',
    '\\b(?:java|js|rust|go|py|ts|php|k|x)docs?\\b',
    '\\bdoxygen\\b',
    '\\blicen[cs]e (?:header|notice|text|line)s?\\b',
    '\\bcopyright\\b',
    near(
      '\\b(?:header|top|head|beginning) of (?:the|each|every|a) file\\b',
      '\\b(?:say|tell|state|name|describe|explain|mention)s?\\b',
    ),
    near(
      '\\b(?:explain|describ|clarif)\\w*\\b',
      `\\b(?:in|inside|within|next to|above) (?:the |a |its )?${CODE}\\b`,
    ),
    near(
      `\\b(?:each|every|all|the|public) (?:public |exported )?${CODE}\\b`,
      '\\b(?:is|are|has|have|gets?|carr(?:y|ies)) (?:a |an |its )?(?:descri|explain|explanation|summary)',
    ),
  ),
  docstring: /(?!)/,
  rename: any(
    '\\brenam\\w*',
    '\\bnaming\\b',
    '\\bmisnamed\\b',
    '\\bidentifiers\\b',
    '\\balias(?:es|ed)?\\b',
    '\\b(?:public|stable|exported) (?:api|names?|interface|surface)\\b',
    '\\bbackwards?[- ]compat\\w*',
    '\\bdeprecat\\w*',
    '\\b(?:its|their|own|old|new|better|clearer|shorter|earlier|under (?:the|a)) names?\\b',
    '\\bterminology\\b',
    '\\b(?:is|are|be) (?:called|named)\\b(?! (?:once|twice|again|only|by|with|for|on|when|before|after|from|at|in|if|\\d))',
    near('\\bexport(?:s|ed)?\\b', `\\b(?:as|under|${NAMES})\\b`),
  ),
  key_order: any(...ORDER),
  order: any(
    both(
      `(?:${ORDER.join('|')})`,
      `\\b(?:${PROGRAM}|${NAMES}|imports?|usings|members|declarations?|definitions?|statements?|callers?|specifiers?)\\b`,
    ),
    '\\bisort\\b',
  ),
  tests: any(
    '\\btest(?:s|ed|ing)?\\b',
    '\\bassert\\w*',
    '\\bpin(?:s|ned)?\\b',
    '\\bcover(?:s|ed|age)?\\b',
    '\\bregression\\b',
    '\\bverif\\w+\\b',
    '\\bcheck(?:s|ed)? (?:that|by)\\b',
    '\\bspec(?:s|ification)?\\b',
  ),
  restated: any(
    '\\bre-?run\\w*',
    '\\brecord\\w*',
    '\\brepeat\\w*',
    '\\bmeasure\\w*',
    '\\bagain\\b',
    '\\bevidence\\b',
    '\\brefresh\\w*',
    '\\bre-?check\\w*',
  ),
};

/** Words of a goal that ask for other names even of what nobody outside a function can see. */
export const askedUnitNames = any(
  near('\\brenam\\w*', `\\b${NAMES}\\b`),
  near('\\brenam\\w*', '(?:`|\\b\\w+_\\w+\\b|\\w\\(\\))'),
  '\\bnaming\\b',
  '\\bmisnamed\\b',
  '\\b(?:variable|parameter|local|argument) names?\\b',
  '\\b(?:better|clearer|shorter|telling|speaking|meaningful) names?\\b',
  '\\bterminology\\b',
);
