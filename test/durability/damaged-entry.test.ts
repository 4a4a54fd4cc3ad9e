import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAggregate } from '../../src/drain/aggregate.ts';
import { readCursor } from '../../src/spool/cursor.ts';
import { encodeEvent } from '../../src/spool/event-format.ts';
import { readEvent } from '../../src/spool/read-event.ts';
import { nodeIo } from '../../src/spool/spool-io.ts';
import { namesIn } from '../support/spool-bench.ts';
import { flip, reasonsOf, start } from './damaged-state.ts';
import { chainProblems, receiptProblems } from './invariants.ts';

/** Where the bytes of an entry lie: line 1 is 130 bytes, the JSON follows. */
const damages: readonly (readonly [string, (file: string) => void])[] = [
  ['a byte of its digest flipped', (file) => flip(file, 5)],
  ['a byte of its id flipped', (file) => flip(file, 70)],
  ['the space between them flipped', (file) => flip(file, 64)],
  ['a byte of its JSON flipped', (file) => flip(file, 300)],
  ['cut in line 1', (file) => truncateSync(file, 60)],
  ['cut in its JSON', (file) => truncateSync(file, 200)],
  ['emptied', (file) => truncateSync(file)],
  [
    'replaced by a folder',
    (file) => {
      unlinkSync(file);
      mkdirSync(file);
    },
  ],
  [
    'replaced by a link',
    (file) => {
      unlinkSync(file);
      symlinkSync('/etc/hostname', file);
    },
  ],
  [
    'replaced by a dangling link',
    (file) => {
      unlinkSync(file);
      symlinkSync('/nowhere/at/all', file);
    },
  ],
  [
    'replaced by a pipe',
    (file) => {
      unlinkSync(file);
      execFileSync('mkfifo', [file]);
    },
  ],
  [
    'replaced by endless zeros',
    (file) => {
      writeFileSync(file, '');
      truncateSync(file, 4_294_967_296);
    },
  ],
];

describe('D31 an entry', () => {
  it.each(damages)(
    'with %s is typed and kept, its turn is not captured again, and later ones go on',
    async (_name, damage) => {
      const bench = start(4);
      damage(bench.layout.event(2));

      const reasons = await reasonsOf(bench);
      const again = bench.refresh(nodeIo, { turn: 't4', text: 'again' });
      bench.refresh(nodeIo, { turn: 'after', text: 'after' });
      const later = await reasonsOf(bench);

      expect(reasons.map((reason) => reason === 'corrupt_event')).toEqual([false, true, false, false]);
      expect(reasons.at(-1)).toBe('structural_unproven');
      expect([again.status, later]).toEqual(['declined', ['structural_unproven']]);
      expect(readCursor(nodeIo, bench.layout)).toBe(5);
    },
  );

  it.each(damages)('with %s at the tail makes the next turn a new baseline', async (_name, damage) => {
    const bench = start(3);
    damage(bench.layout.event(3));

    const next = bench.refresh(nodeIo, { turn: 'next', text: 'next' });
    bench.refresh(nodeIo, { turn: 'after', text: 'after' });

    expect(next).toMatchObject({ event: { sequence: 4, status: 'baseline_reset' } });
    expect(await reasonsOf(bench)).toEqual([
      'structural_unproven',
      'structural_unproven',
      'corrupt_event',
      'structural_unproven',
    ]);
  });

  it.each(damages.slice(0, 7))('with %s gives its receipt the reason', async (_name, damage) => {
    const bench = start(3);
    damage(bench.layout.event(2));

    await bench.drain(nodeIo);

    const receipt = bench.receipts(nodeIo).find(({ sequence }) => sequence === 2);
    expect(receipt).toMatchObject({ status: 'not_evaluated', reason: 'corrupt_event' });
    expect(namesIn(nodeIo, bench.layout.dead)).toEqual(['000000000002.json']);
    expect(statSync(join(bench.layout.dead, '000000000002.json')).mode & 0o777).toBe(0o600);
  });

  it('damaged as the newest is not captured a second time under its turn', () => {
    const bench = start(2);
    flip(bench.layout.event(2), 300);

    expect(bench.refresh(nodeIo, { turn: 't2', text: 'again' }).status).toBe('declined');
  });

  it('with a whole digest but another number is not taken for what it says', async () => {
    const bench = start(3);
    copyFileSync(bench.layout.event(1), bench.layout.event(3));

    expect(await reasonsOf(bench)).toEqual(['structural_unproven', 'structural_unproven', 'corrupt_event']);
  });

  it.each([
    ['another predecessor', { prev: 'a'.repeat(64) }],
    ['no chain', { chain: undefined }],
    ['files that are none', { files: [null] }],
    ['a run without a record', { run: { generated_at: 'now' } }],
    ['totals that are words', { totals: 'many' }],
    ['a negative epoch', { epoch: -1 }],
  ])('with a whole digest but %s brings nobody down', async (_name, change) => {
    const bench = start(3);
    const decoded = readEvent(nodeIo, bench.layout, 2);
    if (!decoded?.ok) throw new Error('there is no event');
    writeFileSync(
      bench.layout.event(2),
      encodeEvent({ ...decoded.stored.event, ...change } as typeof decoded.stored.event).header,
    );

    expect((await reasonsOf(bench))[1]).toBe('corrupt_event');
    expect(bench.refresh(nodeIo, { turn: 'next', text: 'next' }).status).toBe('enqueued');
  });

  it('that is missing is a gap with its bounds, not silence', async () => {
    const bench = start(6);
    for (const lost of [2, 3]) unlinkSync(bench.layout.event(lost));

    const { processed } = await bench.drain(nodeIo);

    expect(processed.map(({ sequence, reason }) => [sequence, reason])).toEqual([
      [1, 'structural_unproven'],
      [3, 'gap'],
      [4, 'incomplete_coverage'],
      [5, 'structural_unproven'],
      [6, 'structural_unproven'],
    ]);
    expect(readAggregate(nodeIo, bench.layout)?.reasons['gap']).toBe(2);
  });
});

describe('D37 strangers among the entries', () => {
  it('are neither read nor counted nor waited for', async () => {
    const bench = start(3);
    const shard = bench.layout.eventShard(0);
    for (const name of [
      '.nfs0001',
      '000000000009.json~',
      '.000000000004.json.swp',
      '4.json',
      '000000001000.json',
    ])
      writeFileSync(join(shard, name), 'stranger');
    mkdirSync(join(shard, 'folder'));
    mkdirSync(join(bench.layout.events, '99999999'));
    mkdirSync(join(bench.layout.events, 'backup'));
    writeFileSync(join(bench.layout.events, '00000007'), 'no folder');
    execFileSync('mkfifo', [join(shard, 'pipe')]);
    unlinkSync(bench.layout.head);

    const next = bench.refresh(nodeIo, { turn: 'next', text: 'next' });
    await bench.drain(nodeIo);

    expect(next).toMatchObject({ event: { sequence: 4 } });
    expect(chainProblems(bench, nodeIo, [])).toEqual([]);
    expect(receiptProblems(bench, nodeIo)).toEqual([]);
  });
});
