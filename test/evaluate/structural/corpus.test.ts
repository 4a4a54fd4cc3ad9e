import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Change, judge } from './judge.ts';

interface Case {
  readonly case_id: string;
  readonly basis: { readonly objective: string; readonly acceptance: readonly string[] };
  readonly paths: readonly string[];
  readonly baseline: Readonly<Record<string, string | null>>;
  readonly rounds: readonly { readonly files: Readonly<Record<string, string | null>> }[];
  readonly gold_rounds: readonly ('cosmetic' | 'real' | 'either')[];
}

const folder = new URL('../../../fixtures/structural/corpus/', import.meta.url);
const { cases } = JSON.parse(readFileSync(new URL('matrix.json', folder), 'utf8')) as {
  cases: readonly Case[];
};
const read = (name: string | null | undefined): string | null =>
  name ? readFileSync(new URL(name, folder), 'utf8') : null;

/** What the evaluator says of each round: flagged or not. */
async function flagsOf({ basis, paths, baseline, rounds }: Case): Promise<readonly boolean[]> {
  const state = new Map(paths.map((path) => [path, read(baseline[path])]));
  const flags: boolean[] = [];
  for (const { files } of rounds) {
    const changes = paths.map((path): [string, Change] => {
      const before = state.get(path) ?? null;
      return [path, [before, path in files ? read(files[path]) : before]];
    });
    for (const [path, [, after]] of changes) state.set(path, after);
    const verdict = await judge(Object.fromEntries(changes), {
      basis: { objective: basis.objective, acceptance: [...basis.acceptance] },
    });
    flags.push(verdict.status === 'completed');
  }
  return flags;
}

describe('a sequence of the corpus', () => {
  it.each(cases)('is flagged in its cosmetic rounds and in no real one: $case_id', async (one) => {
    const flags = await flagsOf(one);

    const judged = one.gold_rounds.map((gold, index) => (gold === 'either' ? 'either' : flags[index]));
    expect(judged).toEqual(
      one.gold_rounds.map((gold) => (gold === 'either' ? 'either' : gold === 'cosmetic')),
    );
  });
});
