import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findingReasons } from '../../src/contract/finding.ts';
import { describeFinding } from '../../src/surfaces/cli/render/finding.ts';
import { makeRig, namesIn, type Rig } from '../support/rig.ts';

interface Found {
  readonly reason: string;
  readonly file: string | null;
  readonly message: string;
  readonly next_step: string;
}

let rig: Rig;
let pristine: string;
let folder: string;

const inState = (...names: string[]): string => join(rig.state, ...names);
const entry = (n: number): string => inState('ev', '00000000', `${String(n).padStart(12, '0')}.json`);
const idOf = (n: number): string => readFileSync(entry(n), 'latin1').slice(65, 129);
const receiptOf = (n: number): string =>
  join(rig.goalFolder, 'progress-review', 'receipts', `${idOf(n)}.json`);

const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
};
const replace = (file: string, put: (file: string) => void): void => {
  rmSync(file, { recursive: true, force: true });
  put(file);
};
const pipe = (file: string): void => void execFileSync('mkfifo', [file]);
const setTime = (file: string, seconds: number): void =>
  utimesSync(file, Date.now() / 1_000 + seconds, Date.now() / 1_000 + seconds);

async function doctor(): Promise<{ rc: unknown; findings: Found[]; notices: Found[]; facts: object }> {
  const { rc, out } = await rig.drift(['doctor', '--json'], { cwd: rig.dir });
  const { findings, notices, facts } = JSON.parse(out);
  return { rc, findings, notices, facts };
}

/** One observer with five turns judged and one that waits; every test damages it and gets it back whole. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drift-doctor-'));
  rig = await makeRigIn();
  for (let n = 1; n <= 5; n += 1) await rig.refresh(`echo ${n} >> a.txt`);
  await rig.drain();
  await rig.refresh('echo last >> a.txt');
  pristine = `${rig.dir}-pristine`;
  execFileSync('cp', ['-a', rig.dir, pristine]);
}, 60_000);

const makeRigIn = (): Promise<Rig> => makeRig({ folder });

beforeEach(() => {
  rmSync(rig.dir, { recursive: true, force: true });
  execFileSync('cp', ['-a', pristine, rig.dir]);
});

afterAll(() => {
  for (const each of [folder, pristine]) rmSync(each, { recursive: true, force: true });
});

/** What is done to the observer, what doctor calls it, and the file that it names. */
const damages: readonly (readonly [string, () => void, string, () => string])[] = [
  ['an entry with a flipped byte', () => flip(entry(2), 400), 'entry_damaged', () => entry(2)],
  ['an entry that is cut off', () => truncateSync(entry(2), 200), 'entry_damaged', () => entry(2)],
  ['an empty entry', () => truncateSync(entry(2)), 'entry_damaged', () => entry(2)],
  [
    'a link for an entry',
    () => replace(entry(2), (file) => symlinkSync('/etc/hostname', file)),
    'entry_damaged',
    () => entry(2),
  ],
  ['a pipe for an entry', () => replace(entry(2), pipe), 'irregular_file', () => entry(2)],
  ['an entry of another number', () => copyFileSync(entry(1), entry(2)), 'entry_damaged', () => entry(2)],
  ['an entry that is gone', () => unlinkSync(entry(3)), 'entry_missing', () => entry(3)],
  [
    'a flipped byte of a kept text',
    () => flip(entry(2), readFileSync(entry(2)).length - 2),
    'text_damaged',
    () => entry(2),
  ],
  [
    'the newest text gone',
    () => truncateSync(entry(6), readFileSync(entry(6)).length - 3),
    'text_missing',
    () => entry(6),
  ],
  [
    'a hint that leads nowhere',
    () => writeFileSync(inState('head'), '999\n'),
    'head_wrong',
    () => inState('head'),
  ],
  [
    'a hint that is garbage',
    () => writeFileSync(inState('head'), 'x\0y'),
    'head_wrong',
    () => inState('head'),
  ],
  [
    'a cursor with both halves bad',
    () => writeFileSync(inState('cursor'), 'x'.repeat(128)),
    'cursor_damaged',
    () => inState('cursor'),
  ],
  ['no cursor', () => unlinkSync(inState('cursor')), 'cursor_damaged', () => inState('cursor')],
  [
    'a cursor beyond the chain',
    () => [4, 5, 6].forEach((n) => void unlinkSync(entry(n))),
    'state_rolled_back',
    () => inState('ev'),
  ],
  [
    'an aggregate that is cut off',
    () => truncateSync(inState('aggregate.json'), 30),
    'aggregate_damaged',
    () => inState('aggregate.json'),
  ],
  [
    'no aggregate',
    () => unlinkSync(inState('aggregate.json')),
    'aggregate_damaged',
    () => inState('aggregate.json'),
  ],
  ['no journal', () => rmSync(inState('rcpt'), { recursive: true }), 'result_missing', () => entry(2)],
  [
    'a label that is none',
    () => writeFileSync(inState('labels.jsonl'), 'nonsense\n', { mode: 0o600 }),
    'labels_damaged',
    () => inState('labels.jsonl'),
  ],
  [
    'a marker that is gone',
    () => unlinkSync(inState('mark', 'id', idOf(2))),
    'marker_missing',
    () => inState('mark', 'id', idOf(2)),
  ],
  ['a receipt that is gone', () => unlinkSync(receiptOf(2)), 'receipt_missing', () => receiptOf(2)],
  ['a receipt that is torn', () => truncateSync(receiptOf(2), 100), 'receipt_rejected', () => receiptOf(2)],
  [
    'a receipt of another event',
    () => copyFileSync(receiptOf(1), receiptOf(2)),
    'receipt_rejected',
    () => receiptOf(2),
  ],
  [
    'a link for a receipt',
    () => replace(receiptOf(2), (file) => symlinkSync('/etc/hostname', file)),
    'receipt_rejected',
    () => receiptOf(2),
  ],
  [
    'a forged verdict',
    () =>
      writeFileSync(
        receiptOf(2),
        readFileSync(receiptOf(2), 'utf8').replace('"structural_unproven"', '"engine_unproven"'),
      ),
    'receipt_differs',
    () => receiptOf(2),
  ],
  [
    'a stranger among the receipts',
    () => writeFileSync(join(receiptOf(2), '..', 'notes.txt'), ''),
    'stranger',
    () => join(receiptOf(2), '..', 'notes.txt'),
  ],
  [
    'a stranger among the entries',
    () => writeFileSync(`${entry(2)}~`, '', { mode: 0o600 }),
    'stranger',
    () => `${entry(2)}~`,
  ],
  ['a stranger in the state', () => mkdirSync(inState('backup'), 0o700), 'stranger', () => inState('backup')],
  [
    'an entry of another shard',
    () => linkSync(entry(2), inState('ev', '00000000', '000000001000.json')),
    'stranger',
    () => inState('ev', '00000000', '000000001000.json'),
  ],
  [
    'a file that others may read',
    () => chmodSync(inState('observer.json'), 0o644),
    'not_private',
    () => inState('observer.json'),
  ],
  ['a state that others may enter', () => chmodSync(rig.state, 0o755), 'not_private', () => rig.state],
  [
    'a link for the cursor',
    () => replace(inState('cursor'), (file) => symlinkSync('/dev/null', file)),
    'irregular_file',
    () => inState('cursor'),
  ],
  [
    'a lock from the future',
    () => {
      mkdirSync(inState('drain.lock'), 0o700);
      setTime(inState('drain.lock'), 3_600);
    },
    'lock_from_future',
    () => inState('drain.lock'),
  ],
  [
    'a file for the lock',
    () => writeFileSync(inState('drain.lock'), '', { mode: 0o600 }),
    'irregular_file',
    () => inState('drain.lock'),
  ],
  [
    'a mode that cannot be understood',
    () => writeFileSync(inState('mode'), '{}', { mode: 0o600 }),
    'state_unreadable',
    () => inState('mode'),
  ],
  [
    'a configuration with an unknown key',
    () => writeFileSync(inState('config.json'), '{"schema_version":"drift_config_v1","mood":1}'),
    'config_invalid',
    () => inState('config.json'),
  ],
  [
    'a binding that is no JSON',
    () => truncateSync(inState('observer.json'), 20),
    'json_invalid',
    () => inState('observer.json'),
  ],
  [
    'a basis that is gone',
    () => unlinkSync(join(rig.dir, 'basis.json')),
    'file_missing',
    () => join(rig.dir, 'basis.json'),
  ],
  ['a workspace that is gone', () => renameSync(rig.work, `${rig.work}2`), 'workspace_moved', () => rig.work],
  [
    'a link for the runtime',
    () => {
      renameSync(rig.goalFolder, join(rig.dir, 'elsewhere'));
      symlinkSync(join(rig.dir, 'elsewhere'), rig.goalFolder);
    },
    'runtime_replaced',
    () => rig.goalFolder,
  ],
];

describe('drift doctor', () => {
  it('finds nothing in a whole observer and tells what it looked at', async () => {
    const { rc, findings, notices, facts } = await doctor();

    expect([rc, findings, notices]).toEqual([0, [], []]);
    expect(facts).toMatchObject({ entries: 7, judged_through: 5, node: process.versions.node });
  });

  it.each(damages)(
    'finds and names %s',
    async (_name, damage, reason, fileOf) => {
      const file = fileOf();
      damage();
      const before = execFileSync('find', [rig.dir, '-type', 'f', '-printf', '%p %s %T@\n']).toString();

      const { rc, findings } = await doctor();

      expect(rc).toBe(1);
      expect(findings).toContainEqual(expect.objectContaining({ reason, file }));
      expect(findings.every(({ next_step }) => next_step.length > 10)).toBe(true);
      expect(execFileSync('find', [rig.dir, '-type', 'f', '-printf', '%p %s %T@\n']).toString()).toBe(before);
    },
    20_000,
  );

  it('only notes what a killed process leaves', async () => {
    mkdirSync(inState('drain.lock'), 0o700);
    setTime(inState('drain.lock'), -60);
    writeFileSync(inState('tmp', '1-left'), 'left', { mode: 0o600 });
    setTime(inState('tmp', '1-left'), -7_200);
    appendFileSync(inState('rcpt', '00000000.jsonl'), '000000000009 cut');

    const { rc, findings, notices } = await doctor();

    expect([rc, findings]).toEqual([0, []]);
    expect(notices.map(({ reason }) => reason).sort()).toEqual([
      'journal_damaged',
      'leftovers',
      'lock_stale',
    ]);
  });

  it('says which variable of a key is missing, and never its value', async () => {
    const system_one = { model: 'jev-1.13.0', api_key_env: 'SOME_KEY', allow_egress: true };
    const config = { schema_version: 'drift_config_v1', evaluator: 'system-one', system_one };
    writeFileSync(inState('config.json'), JSON.stringify(config));

    const without = await rig.drift(['doctor', '--json']);
    const set = await rig.drift(['doctor'], { env: { SOME_KEY: 'secret-value' } });

    expect(without.out).toContain('secret_missing');
    expect(set.out).toContain('SOME_KEY: set');
    expect(set.out + set.err).not.toContain('secret-value');
  });

  it('names a state of an unknown version and looks no further', async () => {
    writeFileSync(inState('format'), 'drift_state_v2\n');

    const looked = await rig.drift(['doctor', '--json']);
    const moved = await rig.drift(['doctor', '--migrate', '--json']);

    for (const { rc, out } of [looked, moved]) {
      expect(rc).toBe(2);
      expect(JSON.parse(out).error).toMatchObject({
        reason: 'state_version_unknown',
        file: inState('format'),
      });
    }
    expect(readFileSync(inState('format'), 'utf8')).toBe('drift_state_v2\n');
  });

  it('has nothing to migrate in a state of its own version', async () => {
    const { rc, out } = await rig.drift(['doctor', '--migrate', '--json']);

    expect([rc, JSON.parse(out)]).toEqual([0, { status: 'current', format: 'drift_state_v1', migrated: [] }]);
  });

  it('advises a step that mends receipts and markers', async () => {
    for (const n of [1, 3]) unlinkSync(receiptOf(n));
    unlinkSync(inState('mark', 'id', idOf(4)));
    const kept = readFileSync(receiptOf(2));

    const before = await doctor();
    const mended = await rig.drain('--republish');
    const after = await doctor();

    expect(before.findings.map(({ reason }) => reason).sort()).toEqual([
      'marker_missing',
      'receipt_missing',
      'receipt_missing',
    ]);
    expect(mended).toMatchObject({ status: 'drained', republished: 2 });
    expect([after.rc, after.findings]).toEqual([0, []]);
    expect(readFileSync(receiptOf(2))).toEqual(kept);
  });

  it('advises a step that goes on where a cursor or the counts are lost', async () => {
    const before = (await rig.status()).counts;
    for (const name of ['cursor', 'aggregate.json']) unlinkSync(inState(name));

    await rig.drain();
    const after = await doctor();

    expect([after.rc, after.findings]).toEqual([0, []]);
    expect((await rig.status()).counts['abstained']).toBe((before['abstained'] ?? 0) + 1);
  });

  it('lists for people what it lists for machines', async () => {
    flip(entry(2), 400);

    const { rc, out } = await rig.drift(['doctor']);

    expect(rc).toBe(1);
    expect(out).toContain('entry_damaged');
    expect(out).toContain(entry(2));
    expect(out).toContain('Leave it in place');
  });

  it('says where there is no observer', async () => {
    const nowhere = await rig.drift(['doctor', '--json', '--state-dir', join(rig.dir, 'nowhere')]);

    expect([nowhere.rc, JSON.parse(nowhere.out).error.reason]).toEqual([2, 'state_not_found']);
    expect(namesIn(join(rig.dir, 'nowhere'))).toEqual([]);
  });
});

describe('the wording of findings', () => {
  it.each(findingReasons)('says of %s what is wrong and what to do', (reason) => {
    for (const finding of [{ reason }, { reason, file: 'some-file', field: 'field', detail: 'detail' }]) {
      const { message, nextStep } = describeFinding(finding);

      expect(Math.min(message.length, nextStep.length)).toBeGreaterThan(10);
      expect(`${message} ${nextStep}`).not.toMatch(/undefined|null|\[object/);
    }
  });
});
