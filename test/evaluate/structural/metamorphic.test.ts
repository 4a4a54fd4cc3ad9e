import { describe, expect, it } from 'vitest';
import { formatWithBiome, indentByTwo, styles } from './formatters.ts';
import { judge, verdictOf } from './judge.ts';
import { seeded } from './mutants.ts';
import { renameLocals, swapFunctions } from './renames.ts';
import { ownSources, programs, type Source } from './sources.ts';

const COMMENTS: Readonly<Record<string, string>> = { Python: '# a note', Ruby: '# a note' };

/** The source with a comment of its own before every fifth line or so that is not inside a list of lines. */
function withComments({ language, text }: Source): string {
  const random = seeded(7);
  return text
    .split('\n')
    .map((line) =>
      /^\s*\w/.test(line) && random() < 0.2
        ? `${/^\s*/.exec(line)?.[0]}${COMMENTS[language] ?? '// a note'}\n${line}`
        : line,
    )
    .join('\n');
}

/** Locals of the programs and what they may be called as well. */
const RENAMES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  Python: [
    ['chosen', 'picked'],
    ['skipped', 'later'],
    ['sums', 'late_by_level'],
    ['rows', 'records'],
    ['delay', 'pause'],
    ['pending', 'open_jobs'],
  ],
  Go: [
    ['best', 'cheapest'],
    ['open', 'frontier'],
    ['total', 'sum'],
    ['way', 'path'],
    ['names', 'labels'],
  ],
  Rust: [
    ['rest', 'remaining'],
    ['end', 'stop'],
    ['right', 'operand'],
    ['wanted', 'signs'],
  ],
  Java: [
    ['taken', 'moved'],
    ['highest', 'top'],
    ['text', 'builder'],
    ['all', 'everything'],
  ],
  C: [
    ['at', 'slot'],
    ['old', 'previous'],
    ['length', 'bytes'],
    ['low', 'from'],
  ],
  'C#': [
    ['box', 'pile'],
    ['sorted', 'ranked'],
    ['total', 'sum'],
    ['size', 'letters'],
  ],
  PHP: [
    ['\\$parts', '$pieces'],
    ['\\$wanted', '$asked'],
    ['\\$total', '$sum'],
    ['\\$share', '$rate'],
  ],
  Ruby: [
    ['converted', 'exchanged'],
    ['factor', 'rate'],
    ['extra', 'cent'],
    ['sum', 'result'],
  ],
};

function renamed({ language, text }: Source): string {
  const pairs = RENAMES[language] ?? [];
  return pairs.reduce(
    (result, [from, to]) =>
      result.replace(new RegExp(`(?<![\\w$"'%>]|(?<!\\.)\\.)${from}(?![\\w"'(])`, 'g'), to),
    text,
  );
}

describe('a change that means nothing', () => {
  it.each(ownSources.flatMap((source) => styles.map(([style, options]) => ({ ...source, style, options }))))(
    'is flagged: $path formatted $style',
    async ({ path, text, options }) => {
      const formatted = formatWithBiome(path, text, options);

      expect(formatted).not.toBe(text);
      expect(await verdictOf({ [path]: [text, formatted] })).toMatch(/^L[012]$/);
    },
  );

  it('is flagged: Python indented by two blanks', async () => {
    const { path, text } = programs[0] as Source;

    expect(await verdictOf({ [path]: [text, indentByTwo(text)] })).toBe('L0');
  });

  it.each([...programs, ...ownSources])('is flagged: comments in $path', async (source) => {
    const { facts, status } = await judge({ [source.path]: [source.text, withComments(source)] });

    expect({ status, facts }).toMatchObject({
      status: 'completed',
      facts: [{ level: 'L1', detail: expect.stringContaining('comment') }],
    });
  });

  it.each(programs)('is flagged: locals of the $language program renamed', async (source) => {
    const after = renamed(source);

    expect(after).not.toBe(source.text);
    // A parameter that callers can name is the weaker proof.
    expect(await verdictOf({ [source.path]: [source.text, after] })).toMatch(/^L[23]$/);
  });

  it.each(ownSources)('is flagged: each local of $path renamed by the compiler', async ({ path, text }) => {
    const renames = renameLocals(text, 25);
    const verdicts = await Promise.all(renames.map((one) => verdictOf({ [path]: [text, one.text] })));

    expect(renames.length).toBeGreaterThan(10);
    expect(renames.filter((_, index) => verdicts[index] !== 'L2').map(({ from }) => from)).toEqual([]);
  });

  it('is flagged: neighbouring functions that change places', async () => {
    const swapped = ownSources.flatMap(({ path, text }) =>
      swapFunctions(text).map((after) => ({ path, text, after })),
    );
    const verdicts = await Promise.all(
      swapped.map(({ path, text, after }) => verdictOf({ [path]: [text, after] })),
    );

    expect(swapped.length).toBeGreaterThan(5);
    expect(new Set(verdicts)).toEqual(new Set(['L2']));
  });

  it.each([...programs, ...ownSources])('is flagged: line ends of $path', async ({ path, text }) => {
    expect(await verdictOf({ [path]: [text, text.replaceAll('\n', '\r\n')] })).toMatch(/^L[01]$/);
  });
});
