import { describe, expect, it } from 'vitest';
import { judge } from './judge.ts';
import { readPairs } from './pairs.ts';

const pairs = readPairs();
const of = (kind: string) => pairs.filter((pair) => pair.kind === kind);

describe('a pair of versions', () => {
  it.each(of('cosmetic'))('is flagged: $title', async ({ path, before, after }) => {
    const { status, facts } = await judge({ [path]: [before, after] });

    expect({ status, facts }).toMatchObject({ status: 'completed', facts: [{ fact: 'proven_cosmetic' }] });
  });

  it.each(of('real'))('is not flagged: $title', async ({ path, before, after }) => {
    const { status, facts } = await judge({ [path]: [before, after] });

    expect({ status, facts }).toMatchObject({ status: 'abstained' });
  });
});
