import { describe, expect, it } from 'vitest';
import { judge, verdictOf } from './judge.ts';

const loader = `import json

LIMIT = 3


def load(path):
    handle = open(path)
    text = handle.read()
    handle.close()
    return json.loads(text)
`;
const clamp = `export function clamp(n: number, low: number): number {
  // keep n inside
  if (n < low) return low;
  return n;
}
`;

describe('the structural evaluator', () => {
  it('flags locals renamed in Python and says which', async () => {
    const after = loader.replaceAll('handle', 'stream').replaceAll('text', 'body');

    const verdict = await judge({ 'a.py': [loader, after] });

    expect(verdict).toMatchObject({
      status: 'completed',
      reason: null,
      judgments: { choice: { relation: 'off_goal', increment: 'no_new_evidence' } },
      facts: [{ level: 'L2', renames: { handle: 'stream', text: 'body' } }],
    });
    expect(verdict.facts[0]?.detail).toMatch(/rename handle → stream/);
  });

  it('flags a reformatted TypeScript file with another comment and a dropped semicolon', async () => {
    const after = clamp.replace('// keep n inside', '/* limit */').replace('return n;', '\n    return n');

    const verdict = await judge({ 'b.ts': [clamp, after] });

    expect(verdict.judgments.noul).toEqual({
      behavior_change: 0.01,
      serves_acceptance: 0.02,
      evidence_increment: 0.02,
    });
    expect(verdict.facts[0]?.detail).toMatch(/comments.*format/);
  });

  it('flags keys of a JSON document in another order, nested ones too, and calls it order', async () => {
    const { facts } = await judge({
      'c.json': ['{"a": 1, "b": {"c": 2, "d": []}}', '{"b": {"d": [], "c": 2}, "a": 1}'],
    });

    expect(facts[0]).toMatchObject({ level: 'L2', detail: expect.stringContaining('order') });
  });

  it('abstains with nulls and unknown when a loop and a handler are added', async () => {
    const after = loader.replace(
      '    handle = open(path)\n',
      '    for _ in range(LIMIT):\n        try:\n            handle = open(path)\n        except OSError:\n            pass\n',
    );

    const verdict = await judge({ 'a.py': [loader, after] });

    expect(verdict).toMatchObject({
      status: 'abstained',
      reason: 'structural_unproven',
      judgments: { choice: { relation: 'unknown', increment: 'unknown' }, noul: null },
      facts: [{ fact: 'shape_differs', path: 'a.py' }],
    });
  });

  it.each([
    ['line ends alone', { 'a.py': [loader, loader.replaceAll('\n', '\r\n')] }, 'L0'],
    ['a new file', { 'a.py': [null, loader] }, 'added_file'],
    ['a deleted file', { 'a.py': [loader, null] }, 'deleted_file'],
    [
      'one proven and one unproven file',
      { 'a.py': [loader, `${loader}# end\n`], 'b.json': ['1', '2'] },
      'value_differs',
    ],
    ['a broken file that parses now', { 'a.py': ['def f(:\n', 'def f():\n    pass\n'] }, 'parse_error'],
    ['a file without a grammar', { 'a.zig': ['a', 'a '] }, 'no_grammar'],
    ['bytes that are no text', { 'a.py': ['a\0', 'a'] }, 'incomplete_coverage'],
  ] as const)('judges %s', async (_name, files, expected) => {
    expect(await verdictOf(files)).toBe(expected);
  });
});

describe('the history of a goal', () => {
  const behaviour = { 'a.py': [loader, loader.replace('LIMIT = 3', 'LIMIT = 4')] } as const;

  it('proves a second full round trip to be drift whatever the files hold', async () => {
    const verdict = await judge(behaviour, { history: { revisit: true, repetition: 2, cycle: true } });

    expect(verdict.judgments.noul).toEqual({
      behavior_change: 0.02,
      serves_acceptance: 0.15,
      evidence_increment: 0.15,
    });
    expect(verdict.facts.map(({ fact }) => fact)).toEqual(['cycle', 'revisit', 'repeat']);
  });

  it('only notes a revisit and a repetition', async () => {
    const verdict = await judge(behaviour, { history: { revisit: true, repetition: 2, cycle: false } });

    expect(verdict.status).toBe('abstained');
    expect(verdict.facts.map(({ fact }) => fact)).toEqual(['value_differs', 'revisit', 'repeat']);
  });
});
