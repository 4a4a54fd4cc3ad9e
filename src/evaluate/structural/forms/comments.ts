/** Which family of tools may read a comment. */
export type CommentFamily =
  | 'python'
  | 'javascript'
  | 'typescript'
  | 'go'
  | 'rust'
  | 'c'
  | 'java'
  | 'csharp'
  | 'php'
  | 'ruby'
  | 'bash'
  | 'css';

/** Comments that speak to a tool in any language: scanners of licences and secrets, generators, coverage, editors that act. */
const ANYWHERE =
  /SPDX-|@generated|DO NOT EDIT|\brenovate:|dependabot|\bNOLINT|\bnolint\b|\bnosec\b|\bnosemgrep\b|NOSONAR|lgtm\s*\[|codeql\[|gitleaks:|\bpragma:|\bcspell:|spell-?checker:|codespell:|<auto-?generated|\[(?:START|END) \w|\[!code|@license|@preserve|x-release-please|bumpver|ANSIBLE MANAGED|jscpd:|trivy:/;

const ECMASCRIPT =
  /@ts-|eslint|prettier-|biome-|oxlint-|tslint:|jshint|jslint|jscs:|(?:istanbul|c8|v8) ignore|node:coverage|webpack\w+:|@vite-|[@#]__\w+__|@jsx|@(?:flow|noflow|jest-|vitest-|cc_on|swagger|openapi|internal|deprecated|packageDocumentation|customElement|wordpress)|^\/\/\/\s*<|^\/\*!|source(?:Mapping)?URL=|^#!|deno-(?:lint|fmt|types|coverage)|\$FlowFixMe|\$Expect|^\/\/\s*\^\?|Stryker |dprint-|turbopack\w+:|rspack\w+:|@refresh\b|language=|^\/\*\s*(?:html|css|sql|gql|graphql|GraphQL|HTML|CSS|SQL|glsl|wgsl|i18n)\s*\*\/$|^\/\*\s*(?:globals?|exported)\s|>>> /;

const FAMILIES: Readonly<Record<CommentFamily, RegExp>> = {
  python:
    /^#!|coding[:=]|[nN][oO][qQ][aA]|^#\s*(?:pragma|PRAGMA)\b|nopep8|skipcq|autoflake:|pyrefly:|^#\s*ty:|^#\s*type:|pyright:|pylint:|mypy:|ruff:|flake8[:=]|isort:|fmt:|yapf:|black:|pytype:|pyre-|pycln:|cython:|distutils:|doctest:|^#\s*%%|^# ?\/\/\/|^#\s+(?:requires-python|dependencies)\s*=|>>> /,
  javascript: ECMASCRIPT,
  typescript: ECMASCRIPT,
  go: /^\/\/(?:go|line|export|extern|revive|lint|sys|exhaustive|gofumpt|ent|counterfeiter|mockgen|swagger)(?:[: ]|$)|^\/\/[a-z0-9]+:[a-z0-9]|^\/\/ want |^\/\/\s*\+|#cgo|#include|^\/\/\s*(?:Unordered )?[oO]utput:|^\/\/\s*@[A-Z]|^\/\/\s*Deprecated:/,
  rust: /rustfmt|clippy|^\/\/\s*(?:@|~|\^)|compile-flags|tarpaulin/,
  c: /clang-format|clang-tidy|cppcheck|coverity|LCOV_|GCOVR?_|fall-?\s?thr(?:ough|u)|\blint\b|splint|^\/\*@|IWYU|NOTREACHED|ARGSUSED/i,
  java: /CHECKSTYLE|checkstyle:|@formatter|spotless:|fall-?through|noinspection|@deprecated|@hidden|NOPMD|language=|@(?:plugin|goal|phase|requires|mojo|component)\b/,
  csharp: /[Rr]e[Ss]harper|csharpier-|stylecop|language=|fall-?through/,
  php: /phpcs:|php-cs-fixer|phpstan|psalm|phan|noinspection|Plugin Name:|Theme Name:|translators:|@codeCoverage/i,
  ruby: /^#!|coding[:=]|frozen.string.literal|warn.indent|shareable.constant|rubocop:|standard:|reek:|typed:|:nocov:|steep:|^#:|@rbs|brakeman:/,
  bash: /^#!|shellcheck|^#\$|^#(?:SBATCH|PBS|BSUB)|(?:BEGIN|END) INIT INFO|chkconfig:|^#compdef|^#autoload/,
  css: /^\/\*!|stylelint-|prettier-|sourceMappingURL=|autoprefixer|purgecss|csslint|rtl:|tailwind/i,
};

/** Whether a comment of any language speaks to a tool. */
export function isRead(comment: string): boolean {
  return ANYWHERE.test(comment);
}

/** Tags of documentation comments that carry types or instructions; descriptions behind them do not count. */
const TAGS: Partial<Record<CommentFamily, RegExp>> = {
  javascript:
    /@(?:type|typedef|template|param|arg|argument|returns?|satisfies|import|overload|callback|enum|this|extends|implements|augments|property|prop|class|constructor|module|exports)\b\s*(?:\{[^\n]*\})?/g,
  php: /@(?:param|return|var|throws|property(?:-read|-write)?)\s+[^\s$]*|@(?!param|return|var|throws|property|see|link|author|since|copyright|license|package|example|todo|inheritDoc|api\b|category|subpackage|version)[A-Za-z\\]+[^\n]*/g,
};

/** An annotation with arguments, which may go on for lines. */
const ANNOTATION = /^[ \t/*]*@[A-Z\\][\w\\]*[ \t]*\(/m;

/**
 * The part of a comment that a tool, a compiler, a test or a licence scanner reads; '' when nothing does, so that the
 * comment may change freely.
 */
export function significantPart(comment: string, family: CommentFamily): string {
  if (ANYWHERE.test(comment) || FAMILIES[family].test(comment)) return comment;
  const tags = TAGS[family];
  if (!tags || !comment.startsWith('/**')) return '';
  if (ANNOTATION.test(comment)) return comment;
  return [...comment.matchAll(tags)].map(([tag]) => tag.trim()).join('\n');
}
