import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = new URL('../../', import.meta.url).pathname;

/** Every page that users read, relative to the repository. */
export const pages: readonly string[] = [
  'README.md',
  'README.zh-CN.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8');

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** The heading above it. */
  readonly section: string;
}

interface Page {
  /** Levels with their texts. */
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly tables: readonly { readonly rows: readonly (readonly string[])[] }[];
  readonly blocks: readonly CodeBlock[];
  /** The text without its code blocks. */
  readonly prose: string;
}

/** Takes a page apart: headings, tables, code blocks. What stands in a code block is neither of the others. */
export function parsePage(text: string): Page {
  const headings: { level: number; text: string }[] = [];
  const tables: { rows: string[][] }[] = [];
  const blocks: CodeBlock[] = [];
  const prose: string[] = [];
  let open: { language: string; lines: string[] } | null = null;
  let isInTable = false;
  for (const line of text.split('\n')) {
    const fence = /^\s*```(\w*)/.exec(line);
    if (open !== null) {
      if (fence) {
        blocks.push({
          language: open.language,
          text: open.lines.join('\n'),
          section: headings.at(-1)?.text ?? '',
        });
        open = null;
      } else open.lines.push(line);
      continue;
    }
    if (fence) {
      open = { language: fence[1] ?? '', lines: [] };
      continue;
    }
    prose.push(line);
    const heading = /^(#+) (.+)$/.exec(line);
    if (heading) headings.push({ level: heading[1]?.length ?? 0, text: heading[2] ?? '' });
    const isRow = line.startsWith('|');
    if (isRow && !isInTable) tables.push({ rows: [] });
    if (isRow) tables.at(-1)?.rows.push(cellsOf(line));
    isInTable = isRow;
  }
  return { headings, tables, blocks, prose: prose.join('\n') };
}

const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

/** A shell line without the comment behind it. */
export const withoutComment = (line: string): string => line.replace(/\s+# .*$/, '');
