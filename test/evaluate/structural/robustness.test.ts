import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everyCase } from './every-case.ts';
import { judge } from './judge.ts';

const EXTENSIONS =
  'py ts tsx js go rs java c cpp cs rb php sh css json jsonc yaml toml md html sql kt ini txt xyz'.split(' ');

/** Every shape in every format takes minutes: `npm run test:structural` does that, and the suite takes every sixteenth. */
const all = everyCase;
const SHARE = all ? 1 : 16;
/** Where a parser is known to be slow, or to recurse. */
const SLOW = new Set([
  'yaml emphasis',
  'yaml braces',
  'md quotes of markup',
  'md blank lines',
  'jsonc open comments',
]);

const REASONS = new Set(
  'parse_error no_grammar added_file deleted_file shape_differs value_differs rename_unsafe over_budget incomplete_coverage engine_error proven_cosmetic'.split(
    ' ',
  ),
);

const structural = { constant_tests: true, restated_evidence: true, file_budget_ms: 250 };

/** Milliseconds of work that a judgment took, and what came of it. */
async function work(path: string, before: string, after: string): Promise<{ spent: number; fact: string }> {
  const start = process.cpuUsage();
  const { facts } = await judge({ [path]: [before, after] }, { structural });
  const { user, system } = process.cpuUsage(start);
  return { spent: (user + system) / 1000, fact: facts[0]?.fact ?? 'none' };
}

const deep = (open: string, close: string, count: number): string => open.repeat(count) + close.repeat(count);

describe('an input made to hurt', () => {
  it.each(all ? EXTENSIONS : ['py', 'ts', 'md', 'yaml', 'json', 'txt'])(
    'of 16 MiB in one line abstains at once: .%s',
    async (extension) => {
      const line = `${'x'.repeat(1 << 24)}\n`;

      const { spent, fact } = await work(`a.${extension}`, line, `${line}y`);

      expect(fact).toMatch(/^(?:over_budget|value_differs|no_grammar)$/);
      expect(spent).toBeLessThan(3000);
    },
  );

  it.each(
    EXTENSIONS.flatMap((extension) =>
      [
        ['round brackets', deep('(', ')', 30_000)],
        ['square brackets', deep('[', ']', 30_000)],
        ['braces', deep('{', '}', 30_000)],
        ['open braces with a key', '{"a":'.repeat(30_000)],
        ['quotes of markup', '> '.repeat(30_000)],
        ['open tags', '<a '.repeat(30_000)],
        ['open comments', '/* '.repeat(30_000)],
        ['minus signs', '- '.repeat(30_000)],
        ['operators', `x = ${'1 + '.repeat(30_000)}1`],
        ['quotes', '\'"`'.repeat(30_000)],
        ['dollars', '$a$ $b$ ${'.repeat(10_000)],
        ['blanks', `x${' '.repeat(100_000)}y`],
        ['blank lines', '\n \t'.repeat(50_000)],
        ['emphasis', '*a_ '.repeat(20_000)],
        ['brackets of links', '[a]('.repeat(20_000)],
        ['colons', 'a: '.repeat(20_000)],
        ['heredocs', '<<A '.repeat(20_000)],
      ].map(([what, text]) => ({ extension, what, text: text as string })),
    ).filter(({ extension, what }, index) => index % SHARE === 0 || SLOW.has(`${extension} ${what}`)),
  )('ends in time: $what in .$extension', async ({ extension, text }) => {
    const { spent, fact } = await work(`a.${extension}`, `${text}\n`, `${text} \nz\n`);

    expect(REASONS).toContain(fact);
    expect(spent).toBeLessThan(6000);
  });

  it.each([
    [
      'ten thousand locals that change names in a ring',
      'py',
      (shift: number) =>
        `def f():\n${Array.from({ length: 10_000 }, (_, at) => `    v${(at + shift) % 10_000} = ${at}\n`).join('')}`,
    ],
    [
      'ten thousand functions in another order',
      'ts',
      (shift: number) =>
        Array.from(
          { length: 10_000 },
          (_, at) => `function f${(at * 7 + shift) % 10_000}() { return 1; }\n`,
        ).join(''),
    ],
    [
      'ten thousand aliases',
      'py',
      (shift: number) => Array.from({ length: 10_000 }, (_, at) => `a${at + shift} = b${at}\n`).join(''),
    ],
    [
      'ten thousand shadowed names',
      'rs',
      (shift: number) =>
        `fn f() {\n${Array.from({ length: 10_000 }, (_, at) => `let x = x + ${at};\n`).join('')}let y${shift} = 1;\n}\n`,
    ],
    [
      'ten thousand docstrings',
      'py',
      (shift: number) =>
        Array.from({ length: 10_000 }, (_, at) => `def f${at}():\n    """${shift}"""\n`).join(''),
    ],
  ] as const)('ends in time: %s', async (_what, extension, make) => {
    const { spent, fact } = await work(`a.${extension}`, make(0), make(1));

    expect(REASONS).toContain(fact);
    expect(spent).toBeLessThan(6000);
  });
});

describe('an input made at random', () => {
  const piece = fc.constantFrom(
    ...`( ) [ ] { } < > " ' \` # // /* */ -- <!-- --> \n \r\n \t : ; , . = == => -> + - * / % & | ! ? @ $ \${ \\\\ \\\\n 0 1.5 0x1f x y f def class if else for while return import from let const var func fn <<A A """ """ f" {x} --- ... | > - a: &a *a <? ?> <a </a> /> é 𝒳 \u200b \ufeff`.split(
      ' ',
    ),
    ' ',
    '  ',
  );
  const text = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(''));

  it.each(EXTENSIONS)('is judged and never thrown at: .%s', async (extension) => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const { status, facts } = await judge({ [`a.${extension}`]: [before, after] }, { structural });

        expect(['completed', 'abstained']).toContain(status);
        expect(facts.every(({ fact }) => REASONS.has(fact) || fact.startsWith('guard_'))).toBe(true);
        expect(facts.map(({ fact }) => fact)).not.toContain('engine_error');
      }),
      { numRuns: all ? 60 : 15, seed: 4 },
    );
  });

  it.each(EXTENSIONS)('is never flagged when a letter of a word is another one: .%s', async (extension) => {
    await fc.assert(
      fc.asyncProperty(text, text, async (front, back) => {
        const verdict = await judge(
          { [`a.${extension}`]: [`${front}\nword\n${back}`, `${front}\nwird\n${back}`] },
          { structural },
        );
        const isComment = verdict.facts.some(({ detail }) => /comment/.test(detail ?? ''));

        expect(verdict.status === 'abstained' || isComment || verdict.facts[0]?.renames !== undefined).toBe(
          true,
        );
      }),
      { numRuns: all ? 60 : 15, seed: 5 },
    );
  });
});
