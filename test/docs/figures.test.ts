import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluateStructural } from '../../src/evaluate/structural/evaluate.ts';
import { parsePage, readPage, root } from '../support/markdown.ts';

const { tables } = parsePage(readPage('README.md'));

/** The cells of a table of the README behind the first, by the first; the table is known by its head. */
function readTable(...head: string[]): Map<string, string[]> {
  const found = tables.find(({ rows }) => rows[0]?.slice(1).join() === head.join());
  return new Map(found?.rows.slice(2).map(([name = '', ...cells]) => [name, cells]));
}

interface Case {
  readonly case_id: string;
  readonly basis: { readonly objective: string; readonly acceptance: string[] };
  readonly paths: readonly string[];
  readonly baseline: Readonly<Record<string, string | null>>;
  readonly rounds: readonly { readonly files: Readonly<Record<string, string | null>> }[];
  readonly gold: { readonly drift_from_round: number | null };
  readonly gold_rounds: readonly ('cosmetic' | 'real' | 'either')[];
}

const corpus = join(root, 'fixtures', 'structural', 'corpus');
const patient = { constant_tests: true, restated_evidence: false, file_budget_ms: 60_000 };

/** Which rounds of a case the structural evaluator flags. */
async function flagsOf({ basis, paths, baseline, rounds }: Case): Promise<boolean[]> {
  const bytes = (name: string | null | undefined) =>
    name === null || name === undefined ? null : readFileSync(join(corpus, name));
  const state = new Map(paths.map((path) => [path, bytes(baseline[path])]));
  const flags: boolean[] = [];
  for (const { files: changed } of rounds) {
    const files = paths.map((path) => {
      const before = state.get(path) ?? null;
      const after = path in changed ? bytes(changed[path]) : before;
      state.set(path, after);
      return { path, role: 'declared' as const, before, after };
    });
    const history = { revisit: false, repetition: 1, cycle: false };
    const { status } = await evaluateStructural({ basis, files, history, structural: patient });
    flags.push(status === 'completed');
  }
  return flags;
}

describe('figures of the README', () => {
  it('quote the recording of the original as it stands', () => {
    const quoted = readTable('typed repeat fuse', 'noul receipts', 'choice receipts');

    expect([...quoted.values()].map((cells) => cells.map((cell) => cell.split(' ')[0]))).toEqual([
      ['0/9', '9/9', '5/9'],
      ['0/9', '9/9', '2/9'],
      ['0/7', '0/6', '0/6'],
      ['–', '1/7', '1/7'],
    ]);
  });

  it('are what the structural evaluator makes of our own sequences', async () => {
    const table = readTable('16 sequences', '30 sequences of our own');
    const { cases } = JSON.parse(readFileSync(join(corpus, 'matrix.json'), 'utf8')) as { cases: Case[] };
    const played = await Promise.all(cases.map(async (one) => ({ one, flags: await flagsOf(one) })));
    const share = (label: string): string => {
      const rounds = played.flatMap(({ one, flags }) =>
        flags.filter((_, round) => one.gold_rounds[round] === label),
      );
      return `${rounds.filter(Boolean).length}/${rounds.length}`;
    };
    const drifting = played.filter(({ one }) => one.gold.drift_from_round !== null);
    const isObliged = (flags: boolean[]) => flags.some((flag, round) => flag && flags[round + 1]);

    expect(cases).toHaveLength(30);
    expect([...table.values()].map(([, own]) => own)).toEqual([
      share('cosmetic'),
      share('real'),
      share('either'),
      `${drifting.filter(({ flags }) => flags.includes(true)).length}/${drifting.length}`,
      `${drifting.filter(({ flags }) => isObliged(flags)).length}/${drifting.length}`,
      '0/0',
      String(played.length - drifting.length),
    ]);
    expect(share('real')).toMatch(/^0\//);
  });

  it('are what a replay of the fake answers comes to', () => {
    const replays = tables.filter(({ rows }) => rows[0]?.[1] === 'typed repeat fuse');
    const summary = JSON.parse(readFileSync(join(root, 'fixtures/compare/expected-summary.json'), 'utf8'));
    const { noul, choice } = summary.current_replay.signals;
    const rows = replays.at(-1)?.rows.slice(2) ?? [];

    expect(rows.map((cells) => cells.slice(2))).toEqual(
      ['drift_cases_flagged', 'drift_cases_reaching_obligation', 'on_goal_cases_with_false_flag'].map(
        (key) => [noul[key], choice[key]],
      ),
    );
  });
});
