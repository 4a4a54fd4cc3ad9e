import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { auditObserver } from '../../bench/spool/audit.mjs';
import { acknowledged } from '../../bench/spool/observed.mjs';
import { makeRig } from '../support/rig.ts';

const torture = new URL('../../bench/spool/torture.mjs', import.meta.url).pathname;

describe('an observer whose wrappers and drains are killed at random', () => {
  it('D4 D5 D6 loses, doubles and tears nothing, and four writers at once leave one chain', async () => {
    const words = [
      '--rounds',
      '4',
      '--wrappers',
      '4',
      '--turns',
      '8',
      '--only',
      'enqueuers,drains,many',
      '--json',
    ];

    const { stdout } = await promisify(execFile)(process.execPath, [torture, ...words]).catch(
      (error: { stdout: string }) => error,
    );

    const { scenes } = JSON.parse(stdout);
    expect(scenes.flatMap(({ notes }: { notes: string[] }) => notes)).toEqual([]);
    expect(scenes.map(({ scene, holds }: { scene: string; holds: boolean }) => [scene, holds])).toEqual([
      ['enqueuers', true],
      ['drains', true],
      ['many', true],
    ]);
    expect(scenes[0].kills + scenes[1].kills).toBeGreaterThan(0);
    expect(scenes[2].acknowledged + scenes[2].not_captured).toBe(32);
  }, 240_000);
});

describe('the audit after a torture', () => {
  it('finds nothing where all is well, and each thing that may be wrong', async () => {
    const rig = await makeRig();
    const acked = [];
    for (const n of [1, 2, 3]) {
      const words = ['refresh', '--explain', '--turn-id', `t${n}`, '--', 'sh', '-c', `echo ${n} > a.txt`];
      acked.push(acknowledged(await rig.drift(words)));
    }
    await rig.drain();
    const folder = join(rig.goalFolder, 'progress-review', 'receipts');
    const [first = ''] = readdirSync(folder);
    const entry = join(rig.state, 'ev', '00000000', '000000000003.json');

    const sound = auditObserver(rig.state, acked);
    const never = auditObserver(rig.state, [...acked, { sequence: 9, id: '0'.repeat(12) }]);
    unlinkSync(join(folder, first));
    const unpublished = auditObserver(rig.state, acked);
    const bytes = readFileSync(entry);
    bytes[400] = (bytes[400] ?? 0) ^ 1;
    writeFileSync(entry, bytes);
    const torn = auditObserver(rig.state, acked);

    expect(sound).toMatchObject({ holds: true, acknowledged: 3, entries: 4, lost: 0 });
    expect(never).toMatchObject({ holds: false, lost: 1 });
    expect(unpublished).toMatchObject({ holds: false, no_receipt: 1 });
    expect(torn).toMatchObject({ holds: false, torn: 1, lost: 1 });
  });
});
