import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const biome = join(createRequire(import.meta.url).resolve('@biomejs/biome/package.json'), '../bin/biome');

/** What Biome makes of a source in the given style. */
export function formatWithBiome(
  path: string,
  text: string,
  style: Readonly<Record<string, unknown>>,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'drift-format-'));
  try {
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ root: true, ...style }));
    const name = path.split('/').at(-1) ?? path;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [biome, 'format', `--config-path=${folder}`, `--stdin-file-path=${name}`],
      { input: text, encoding: 'utf8', cwd: folder },
    );
    if (status !== 0) throw new Error(stderr);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Styles that differ in everything that a formatter may choose. */
export const styles: readonly (readonly [name: string, style: Readonly<Record<string, unknown>>])[] = [
  [
    'narrow, double quotes, no semicolons',
    {
      formatter: { lineWidth: 50, indentStyle: 'space', indentWidth: 4 },
      javascript: {
        formatter: { quoteStyle: 'double', semicolons: 'asNeeded', arrowParentheses: 'asNeeded' },
      },
    },
  ],
  [
    'wide, tabs, no commas at the end',
    {
      formatter: { lineWidth: 200, indentStyle: 'tab' },
      javascript: {
        formatter: {
          quoteStyle: 'single',
          trailingCommas: 'none',
          bracketSpacing: false,
          quoteProperties: 'preserve',
        },
      },
    },
  ],
];

/** The same Python with two blanks in the place of four. */
export function indentByTwo(text: string): string {
  return text.replace(/^(?: {4})+/gm, (blanks) => ' '.repeat(blanks.length / 2));
}
