import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderDecisionIndex } from '../../docs/decision-index.mjs';
import { environment, readOptions, renderReference } from '../../docs/reference.mjs';
import { failureReasons } from '../../src/contract/failure.ts';
import { commands } from '../../src/surfaces/cli/commands.ts';
import { describeFailure } from '../../src/surfaces/cli/render/failure.ts';
import { pages, parsePage, readPage, root } from '../support/markdown.ts';

const shared = ['--json', '--state-dir', '--config', '--help'];

const declared = new Map<string, string[]>(
  await Promise.all(
    Object.entries(commands).map(async ([name, { load }]): Promise<[string, string[]]> => {
      const options = readOptions((await load()).command) as string[][];
      return [name, [...options.map(([option = '']) => option.replaceAll('`', '')), ...shared]];
    }),
  ),
);

/** What a text calls drift with: the command and every option up to where the words of another program begin. */
function callsIn(
  text: string,
): { readonly line: string; readonly name: string; readonly options: string[] }[] {
  return [...text.matchAll(/(?<![\w./-])drift ([a-z][a-z-]*)\b((?:(?!,| or )[^\n`|;&)])*)/g)].map(
    ([line, name = '', rest = '']) => ({
      line,
      name,
      options: (rest.split(' -- ')[0] ?? '').match(/(?<=\s)--[a-z][a-z-]*/g) ?? [],
    }),
  );
}

const wrongIn = (text: string): string[] =>
  callsIn(text)
    .filter(({ name, options }) => {
      const known = declared.get(name);
      return known === undefined || options.some((option) => !known.includes(option));
    })
    .map(({ line }) => line);

/** Code of a page: fenced, and between backticks. */
function codeOf(page: string): string {
  const { blocks, prose } = parsePage(readPage(page));
  const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code);
  return [...blocks.filter(({ language }) => language !== 'text').map(({ text }) => text), ...inline].join(
    '\n',
  );
}

describe.each(pages)('%s', (page) => {
  it('calls only commands and options that exist', () => {
    expect(wrongIn(codeOf(page))).toEqual([]);
  });

  it('links only to what is there', () => {
    const { prose, headings } = parsePage(readPage(page));
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const broken = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => target.split('#')[0] ?? '')
      .filter((target) => target !== '' && !existsSync(join(root, dirname(page), target)));

    expect(broken).toEqual([]);
    expect(headings.filter(({ level }) => level === 1)).toHaveLength(1);
  });

  it('names no place of the machine it was written on', () => {
    expect(readPage(page)).not.toMatch(/\/(?:work|root|tmp\/tmp\.|home\/[a-z]+)\b|npmjs|\.internal\b/);
  });
});

describe('the pages together', () => {
  it('are all reached from the README', () => {
    const seen = new Set(['README.md']);
    const queue = ['README.md'];
    for (let page = queue.pop(); page !== undefined; page = queue.pop())
      for (const [, target = ''] of readPage(page).matchAll(/\]\(([^)#\s]+\.md)[^)]*\)/g)) {
        const next = join(dirname(page), target);
        if (!seen.has(next) && existsSync(join(root, next))) queue.push(next);
        seen.add(next);
      }

    expect(pages.filter((page) => !seen.has(page))).toEqual([]);
  });

  it('give every command a line in the reference, and the reference is not stale', async () => {
    expect(readPage('docs/reference.md'), 'run npm run docs').toBe(await renderReference());
  });

  it('list every decision', () => {
    expect(readPage('docs/decisions/README.md'), 'run npm run docs').toBe(renderDecisionIndex());
    expect(readdirSync(join(root, 'docs/decisions')).length).toBeGreaterThan(1);
  });
});

describe('the environment', () => {
  /** What belongs to the system, or travels from the launcher to what it starts. */
  const others = [
    'DRIFT_NODE_OPTIONS',
    'HOME',
    'LOCALAPPDATA',
    'NODE_OPTIONS',
    'PATH',
    'TEMP',
    'TERM',
    'TMPDIR',
  ];

  it('is described as far as drift reads it', () => {
    const source = join(root, 'src');
    const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(source, file), 'utf8'));
    const read = texts.flatMap((text) =>
      [...text.matchAll(/env\[?\.?'([A-Z_]+)'/g)].map(([, name = '']) => name),
    );
    const described = environment.map(([name]) => name);

    expect(read.filter((name) => !described.includes(name) && !others.includes(name))).toEqual([]);
    expect(read.length).toBeGreaterThan(5);
  });
});

describe('what drift itself says', () => {
  /** Words that follow drift where a sentence speaks of the program. */
  const prose = /drift (?:does|knows|that)\b/g;

  it.each(failureReasons)('sends nobody to a command that does not exist when %s', (reason) => {
    const { message, hint } = describeFailure({ reason });

    expect(wrongIn(`${message}\n${hint}`.replaceAll(prose, 'it'))).toEqual([]);
  });

  it.each([...declared.keys()])(
    'has at least two examples of %s that its own options allow',
    async (name) => {
      const command = (await commands[name]?.load())?.command;

      expect(command?.examples.length).toBeGreaterThanOrEqual(2);
      expect(wrongIn(command?.examples.map(([line]) => line).join('\n') ?? '')).toEqual([]);
    },
  );
});
