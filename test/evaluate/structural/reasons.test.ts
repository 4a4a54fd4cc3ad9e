import { describe, expect, it } from 'vitest';
import type { EvaluationInput } from '../../../src/evaluate/evaluator.ts';
import { evaluateStructural } from '../../../src/evaluate/structural/evaluate.ts';
import { judge, plainBasis, verdictOf } from './judge.ts';

const sum =
  'def total(items):\n    count = 0\n    for item in items:\n        count += item\n    return count\n';
const tests = 'from limits import LIMIT\n\n\ndef test_limit():\n    assert LIMIT == 3\n';
const impatient = { constant_tests: true, restated_evidence: false, file_budget_ms: 0 };

describe('a file that is not proven', () => {
  it.each([
    ['parse_error', { 'a.py': [sum, `${sum})\n`] }],
    ['parse_error', { 'a.json': ['{"a": 1,}', '{"a": 1}'] }],
    ['no_grammar', { 'a.zig': ['const a = 1;', 'const a = 1; '] }],
    ['added_file', { 'a.py': [null, sum] }],
    ['deleted_file', { 'a.py': [sum, null] }],
    ['shape_differs', { 'a.py': [sum, `${sum}\n\nprint(total([1]))\n`] }],
    ['shape_differs', { 'a.json': ['[1]', '[1, 2]'] }],
    ['value_differs', { 'a.py': [sum, sum.replace('= 0', '= 1')] }],
    ['value_differs', { 'a.md': ['one\n', 'two\n'] }],
    ['rename_unsafe', { 'a.py': [sum, sum.replaceAll('total', 'main')] }],
    ['incomplete_coverage', { 'a.py': ['a\0', 'a'] }],
    ['over_budget', { 'a.py': [sum, `${'x = 1\n'.repeat(200_000)}`] }],
  ] as const)('says %s of %j', async (reason, files) => {
    expect(await verdictOf(files)).toBe(reason);
  });

  it('says over_budget when its time is spent before it is read', async () => {
    const long = Array.from({ length: 20_000 }, (_, at) => `int a${at};\n`).join('');

    const verdict = await verdictOf({ 'a.java': [long, `${long}// end\n`] }, { structural: impatient });

    expect(verdict).toBe('over_budget');
  });

  it('says incomplete_coverage of bytes that are no UTF-8', async () => {
    const file = {
      path: 'a.py',
      role: 'declared' as const,
      before: Buffer.from(sum),
      after: Buffer.from([0x78, 0xff, 0xfe]),
    };

    const { facts } = await evaluateStructural(inputOf([file]));

    expect(facts).toEqual([{ fact: 'incomplete_coverage', path: 'a.py', detail: 'not UTF-8 text' }]);
  });

  it('says engine_error when the engine throws', async () => {
    const broken = {
      path: 'a.json',
      role: 'declared' as const,
      before: Buffer.from('1'),
      get after(): Uint8Array {
        throw new Error('the disk is gone');
      },
    };

    const { judgeFile } = await import('../../../src/evaluate/structural/judge-file.ts');
    const judgment = await judgeFile(broken, {} as never, impatient);

    expect(judgment).toEqual({ proven: false, reason: 'engine_error', detail: 'the disk is gone' });
  });

  it.each([
    ['guard_comment', { 'a.py': [sum, `# adds up\n${sum}`] }, 'Comment the sum.'],
    ['guard_docstring', { 'a.py': [sum, sum.replace(':\n', ':\n    """Add up."""\n')] }, 'Document the sum.'],
    ['guard_format', { 'a.ts': ["f('a')", 'f("a");'] }, 'Format the code.'],
    ['guard_whitespace', { 'a.py': [sum, sum.replaceAll('\n', '\r\n')] }, 'Use CRLF.'],
    ['guard_rename', { 'a.py': [sum, sum.replaceAll('count', 'amount')] }, 'Use better names.'],
    [
      'guard_order',
      { 'a.go': ['package a\n\nfunc a() {}\n\nfunc b() {}\n', 'package a\n\nfunc b() {}\n\nfunc a() {}\n'] },
      'Sort the functions.',
    ],
    ['guard_key_order', { 'a.json': ['{"a":1,"b":2}', '{"b":2,"a":1}'] }, 'Sort the keys.'],
    [
      'guard_tests',
      { 'limits.py': ['LIMIT = 3\n', 'LIMIT = 3\n'], 'test_limits.py': [null, tests] },
      'Cover the limit by tests.',
    ],
    ['guard_named', { 'a.py': [sum, sum.replaceAll('total', 'add_up')] }, 'add_up() adds up.'],
  ] as const)('says %s when the goal asks for it', async (reason, files, objective) => {
    const { status, facts } = await judge(files, { basis: { objective, acceptance: ['It works.'] } });

    expect(status).toBe('abstained');
    expect(facts.map(({ fact }) => fact)).toContain(reason);
  });

  it('says guard_restated when the goal asks for another run', async () => {
    const role = 'evidence' as const;
    const file = {
      path: 'e.json',
      role,
      before: Buffer.from('{"took_ms": 1}'),
      after: Buffer.from('{"took_ms": 2}'),
    };
    const basis = { objective: 'Measure the run.', acceptance: ['It works.'] };
    const structural = { ...impatient, restated_evidence: true, file_budget_ms: 2000 };

    const { facts } = await evaluateStructural({ ...inputOf([file]), basis, structural });

    expect(facts[0]?.fact).toBe('guard_restated');
  });
});

describe('a proven file', () => {
  it.each([
    ['L0', { 'a.py': [sum, sum.replaceAll('\n', '\r\n')] }],
    ['L1', { 'a.py': [sum, `# adds up\n${sum}`] }],
    ['L2', { 'a.py': [sum, sum.replaceAll('count', 'amount')] }],
    ['L3', { 'a.py': [sum, sum.replaceAll('total', 'add_up')] }],
    ['L4', { 'limits.py': ['LIMIT = 3\n', 'LIMIT = 3\n'], 'test_limits.py': [null, tests] }],
    ['L3', { 'a.py': [sum, `# adds up\n${sum.replaceAll('total', 'add_up')}`], 'b.json': ['1', ' 1'] }],
  ] as const)('is proven at %s: %j', async (level, files) => {
    expect(await verdictOf(files)).toBe(level);
  });

  it('proves restated evidence at L4 only where that is asked for', async () => {
    const role = 'evidence' as const;
    const [before, after] = ['{"ok": 1, "at": 1}', '{"ok": 1, "at": 2}'].map((text) => Buffer.from(text));
    const file = { path: 'e.json', role, before: before ?? null, after: after ?? null };
    const structural = { constant_tests: true, restated_evidence: false, file_budget_ms: 2000 };

    const plain = await evaluateStructural({ ...inputOf([file]), structural });
    const asked = await evaluateStructural({
      ...inputOf([file]),
      structural: { ...structural, restated_evidence: true },
    });

    expect(plain.facts[0]?.fact).toBe('value_differs');
    expect(asked.facts[0]).toMatchObject({ fact: 'proven_cosmetic', level: 'L4' });
  });
});

function inputOf(files: EvaluationInput['files']): EvaluationInput {
  return {
    basis: plainBasis,
    files,
    history: { revisit: false, repetition: 1, cycle: false },
    structural: { constant_tests: true, restated_evidence: false, file_budget_ms: 2000 },
  };
}
