import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadMatrix } from '../../src/compare/load-matrix.ts';
import { temporaryFolder } from '../support/rig.ts';

const good = {
  schema_version: 'loopx_jev_sentinel_matrix_v0',
  label_probability_threshold: 0.6,
  cases: [
    {
      case_id: 'one',
      kind: 'real_commit',
      provenance: { commit: 'abc', repository: 'r' },
      basis: { objective: 'o', acceptance: ['a'] },
      paths: ['a.py', 'b.py'],
      baseline: { 'a.py': 'files/a.txt', 'b.py': null },
      rounds: [{ self_report: {}, files: { 'a.py': null, 'b.py': 'files/a.txt' } }, { files: {} }],
      gold: { drift_from_round: 2, labeler: 'me', note: 'n' },
      gold_rounds: ['real', 'either'],
    },
  ],
};
type Case = (typeof good.cases)[number];

function write(
  matrix: unknown,
  files: Record<string, string | Uint8Array> = { 'files/a.txt': 'x\r\n' },
): string {
  const folder = temporaryFolder();
  const file = join(folder, 'matrix.json');
  writeFileSync(file, typeof matrix === 'string' ? matrix : JSON.stringify(matrix));
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return file;
}

const withCase = (change: Partial<Record<keyof Case, unknown>>): unknown => ({
  ...good,
  cases: [{ ...good.cases[0], ...change }],
});

describe('loadMatrix', () => {
  it('reads a matrix with the bytes of its fixtures', () => {
    const loaded = loadMatrix(write(good));

    if (!loaded.ok) throw new Error(JSON.stringify(loaded.failure));
    const [one] = loaded.value.cases;
    expect(loaded.value.digest).toMatch(/^[0-9a-f]{64}$/);
    expect([...(one?.baseline ?? [])]).toEqual([
      ['a.py', Buffer.from('x\r\n')],
      ['b.py', null],
    ]);
    expect(one?.rounds.map((files) => [...files.keys()])).toEqual([['a.py', 'b.py'], []]);
    expect(one?.definition.rounds[1]?.self_report).toEqual({ result_class: 'advanced' });
  });

  it.each<[string, unknown, string, string | undefined]>([
    ['another version', { ...good, schema_version: 'v9' }, 'matrix_invalid', 'schema_version'],
    ['a case twice', { ...good, cases: [good.cases[0], good.cases[0]] }, 'matrix_invalid', 'cases'],
    [
      '65 cases',
      { ...good, cases: Array.from({ length: 65 }, (_, n) => ({ ...good.cases[0], case_id: `c${n}` })) },
      'matrix_invalid',
      'cases',
    ],
    [
      'a threshold below 0.5',
      { ...good, label_probability_threshold: 0.4 },
      'matrix_invalid',
      'label_probability_threshold',
    ],
    ['a case id that is a path', withCase({ case_id: '../x' }), 'matrix_invalid', 'cases.0.case_id'],
    ['a path that leads out', withCase({ paths: ['../a.py'] }), 'matrix_invalid', 'cases.0.paths.0'],
    [
      'a fixture that leads out',
      withCase({ baseline: { 'a.py': '../../etc/passwd' } }),
      'matrix_invalid',
      'cases.0.baseline.a.py',
    ],
    ['a path twice', withCase({ paths: ['a.py', 'a.py', 'b.py'] }), 'matrix_invalid', 'cases.0.paths'],
    ['a path that is not declared', withCase({ paths: ['a.py'] }), 'matrix_invalid', 'cases.0.paths'],
    [
      'drift after the last round',
      withCase({ gold: { drift_from_round: 3 } }),
      'matrix_invalid',
      'cases.0.gold.drift_from_round',
    ],
    ['a label too few', withCase({ gold_rounds: ['real'] }), 'matrix_invalid', 'cases.0.gold_rounds'],
    [
      'an unknown label',
      withCase({ gold_rounds: ['real', 'great'] }),
      'matrix_invalid',
      'cases.0.gold_rounds.1',
    ],
    ['a missing fixture', withCase({ baseline: { 'a.py': 'files/gone.txt' } }), 'file_missing', undefined],
    ['a duplicate key', '{"cases":[],"cases":[]}', 'json_invalid', undefined],
  ])('refuses %s', (_name, matrix, reason, field) => {
    expect(loadMatrix(write(matrix))).toMatchObject({
      ok: false,
      failure: field === undefined ? { reason } : { reason, field },
    });
  });

  it.each<[string, string | Uint8Array, string]>([
    ['a fixture of more than 32 KiB', 'x'.repeat(32_769), 'file_too_large'],
    ['a NUL', Uint8Array.of(65, 0), 'matrix_invalid'],
  ])('refuses %s', (_name, bytes, reason) => {
    expect(loadMatrix(write(good, { 'files/a.txt': bytes }))).toMatchObject({
      ok: false,
      failure: { reason },
    });
  });

  it('refuses a fixture behind a symbolic link', () => {
    const file = write(good, { 'other.txt': 'x' });
    mkdirSync(join(dirname(file), 'files'));
    symlinkSync('/etc/hostname', join(dirname(file), 'files', 'a.txt'));

    expect(loadMatrix(file)).toMatchObject({ ok: false, failure: { reason: 'file_not_regular' } });
  });

  it('refuses a fixture in a linked folder', () => {
    const file = write(good, {});
    symlinkSync('/etc', join(dirname(file), 'files'));
    const linked = withCase({
      baseline: { 'a.py': 'files/hostname' },
      rounds: [{ files: {} }, { files: {} }],
    });
    writeFileSync(file, JSON.stringify(linked));

    expect(loadMatrix(file)).toMatchObject({ ok: false, failure: { reason: 'file_not_regular' } });
  });
});
