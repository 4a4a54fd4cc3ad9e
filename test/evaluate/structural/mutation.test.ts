import { describe, expect, it } from 'vitest';
import { everyCase } from './every-case.ts';
import { judge } from './judge.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { ownSources, programs, type Source } from './sources.ts';
import { hasPython, pythonTrees, typescriptTree } from './syntax-oracle.ts';

/** The suite takes a third of the mutants, always the same ones. */
const share = (count: number): number => (everyCase ? count : Math.ceil(count / 3));

async function flagged({ path, text }: Source, mutants: readonly Mutant[]): Promise<readonly Mutant[]> {
  const verdicts = await Promise.all(mutants.map((mutant) => judge({ [path]: [text, mutant.text] })));
  return mutants.filter((_, index) => verdicts[index]?.status === 'completed');
}

describe('a mutant', () => {
  it.each(programs)('of a $language program is never flagged', async (source) => {
    const mutants = mutantsOf(source.text, source.comment, share(150));

    expect(mutants.length).toBeGreaterThan(share(60));
    expect((await flagged(source, mutants)).map(({ title }) => title)).toEqual([]);
  });

  it.each(ownSources)(
    'of $path is flagged only where the TypeScript compiler sees no difference',
    async (source) => {
      const mutants = mutantsOf(source.text, source.comment, share(100));
      const tree = typescriptTree(source.text);

      const wrong = (await flagged(source, mutants)).filter(({ text }) => typescriptTree(text) !== tree);

      expect(mutants.length).toBeGreaterThan(share(60));
      expect(wrong.map(({ title }) => title)).toEqual([]);
    },
  );

  it.runIf(hasPython)('of Python is never flagged where CPython sees another tree', async () => {
    const source = programs[0] as Source;
    const mutants = mutantsOf(source.text, /"""/, share(300));
    const [tree, ...trees] = pythonTrees([source.text, ...mutants.map(({ text }) => text)]);
    const different = new Set(mutants.filter((_, index) => trees[index] !== tree));

    const found = await flagged(source, mutants);

    expect(different.size).toBeGreaterThan(share(150));
    expect(found.filter((mutant) => different.has(mutant)).map(({ title }) => title)).toEqual([]);
  });

  it('of JSON is never flagged where JSON.parse sees another value', async () => {
    const text = JSON.stringify(
      { name: 'shop', sizes: [1, 2, 30], limits: { low: -1, high: 9.5, on: true }, none: null },
      null,
      2,
    );
    const mutants = mutantsOf(text, /(?!)/, share(200));
    const source = { language: 'JSON', path: 'a.json', text, comment: /(?!)/ };

    const wrong = (await flagged(source, mutants)).filter(
      (mutant) => JSON.stringify(JSON.parse(mutant.text)) !== JSON.stringify(JSON.parse(text)),
    );

    expect(mutants.length).toBeGreaterThan(5);
    expect(wrong).toEqual([]);
  });
});
