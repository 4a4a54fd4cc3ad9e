import type { Judgment } from './proof/proof.ts';
import type { TextHabits } from './source-text.ts';
import { isBraceLanguage } from './text/brace-language.ts';
import { isLineConfig } from './text/line-config.ts';
import { isProse } from './text/plain-text.ts';

/** Proves two versions of a text equal. */
export type TextProof = (before: string, after: string, path: string) => Judgment | Promise<Judgment>;

/** A format that is read by a parser or a lexer of ours; its code is loaded when a file needs it. */
export interface TextFormat {
  readonly habits: TextHabits;
  /** Longer texts are not judged, since no parser here can be stopped half-way. */
  readonly maxLength: number;
  load(): Promise<TextProof>;
}

const FREE: TextHabits = { lineEnds: 'free', markIsFree: true };
const UNMARKED: TextHabits = { lineEnds: 'free', markIsFree: false };
const FIXED: TextHabits = { lineEnds: 'fixed', markIsFree: false };
const SINGLE_LINE: TextHabits = { lineEnds: 'single_line', markIsFree: false };

const json: TextFormat = {
  habits: UNMARKED,
  maxLength: 1 << 20,
  load: async () => (await import('./data/json.ts')).proveJson,
};
const jsonWithComments: TextFormat = {
  ...json,
  load: async () => (await import('./data/json.ts')).proveJsonWithComments,
};
const yaml: TextFormat = {
  habits: FREE,
  maxLength: 1 << 17,
  load: async () => (await import('./data/yaml.ts')).proveYaml,
};
const toml: TextFormat = {
  habits: { lineEnds: 'single_line', markIsFree: false },
  maxLength: 1 << 19,
  load: async () => (await import('./data/toml.ts')).proveToml,
};
const markdown: TextFormat = {
  habits: FREE,
  maxLength: 1 << 17,
  load: async () => (await import('./text/markdown.ts')).proveMarkdown,
};
const html: TextFormat = {
  habits: FREE,
  maxLength: 1 << 19,
  load: async () => {
    const { proveHtml } = await import('./text/html.ts');
    const { isSameScript } = await import('./same-script.ts');
    return (before, after) => proveHtml(before, after, isSameScript);
  },
};
const css: TextFormat = {
  habits: FREE,
  maxLength: 1 << 19,
  load: async () => (await import('./text/css.ts')).proveCss,
};
const sql: TextFormat = {
  habits: SINGLE_LINE,
  maxLength: 1 << 19,
  load: async () => (await import('./text/sql.ts')).proveSql,
};
const prose: TextFormat = {
  habits: { lineEnds: 'free', markIsFree: false },
  maxLength: 1 << 20,
  load: async () => (await import('./text/plain-text.ts')).provePlainText,
};
const lines: TextFormat = {
  habits: FIXED,
  maxLength: 1 << 20,
  load: async () => {
    const { proveLineConfig } = await import('./text/line-config.ts');
    return (before, after, path) => proveLineConfig(path, before, after);
  },
};
const braces: TextFormat = {
  habits: SINGLE_LINE,
  maxLength: 1 << 19,
  load: async () => {
    const { proveBraceLanguage } = await import('./text/brace-language.ts');
    return (before, after, path) => proveBraceLanguage(path, before, after);
  },
};

const BY_EXTENSION: Readonly<Record<string, TextFormat>> = {
  json,
  ipynb: json,
  geojson: json,
  webmanifest: json,
  jsonc: jsonWithComments,
  yaml,
  yml: yaml,
  toml,
  md: markdown,
  markdown,
  html,
  htm: html,
  sql,
  css,
};

/** JSON files whose readers allow comments. */
const COMMENTED_JSON =
  /(?:^|\/)(?:[tj]sconfig[\w.-]*\.json|\.eslintrc(?:\.json)?|\.babelrc(?:\.json)?|\.swcrc|deno\.json|\.vscode\/\w+\.json|devcontainer\.json|api-extractor\.json)$/;

/** The format of a file that is no code, by its name; undefined when nothing can be said of it. */
export function textFormatOf(path: string): TextFormat | undefined {
  if (COMMENTED_JSON.test(path)) return jsonWithComments;
  if (isLineConfig(path)) return lines;
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  if (Object.hasOwn(BY_EXTENSION, extension)) return BY_EXTENSION[extension];
  if (isBraceLanguage(path)) return braces;
  return isProse(path) ? prose : undefined;
}
