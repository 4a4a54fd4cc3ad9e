import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAggregate } from '../../src/drain/aggregate.ts';
import { acceptRollback } from '../../src/drain/resume.ts';
import { findDetour } from '../../src/receipts/find-detour.ts';
import { readCursor } from '../../src/spool/cursor.ts';
import { encodeEvent } from '../../src/spool/event-format.ts';
import { readEvent } from '../../src/spool/read-event.ts';
import { nodeIo } from '../../src/spool/spool-io.ts';
import { findTail } from '../../src/spool/tail.ts';
import { temporaryFolder } from '../support/rig.ts';
import { makeSpoolBench, namesIn, type SpoolBench } from '../support/spool-bench.ts';
import { chainProblems, receiptProblems } from './invariants.ts';

/** A real state directory after a checkpoint and some turns. */
function start(turns: number): SpoolBench {
  const bench = makeSpoolBench(temporaryFolder());
  bench.prepare(nodeIo);
  for (let n = 0; n <= turns; n += 1)
    bench.refresh(nodeIo, { turn: n === 0 ? null : `t${n}`, text: `text ${n}\n` });
  return bench;
}

const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
};

const reasonsOf = async (bench: SpoolBench): Promise<(string | null)[]> =>
  (await bench.drain(nodeIo)).processed.map(({ reason }) => reason);

describe('the hint of where the chain ends', () => {
  it.each([
    ['empty', ''],
    ['garbage', 'head\0'],
    ['too low', '0\n'],
    ['too high', '999999\n'],
    ['of another spool', '3\n'],
    ['without an end', '5'],
    ['endless', '5'.repeat(10_000)],
  ])('is made up for where it is %s', (_name, hint) => {
    const bench = start(5);

    writeFileSync(bench.layout.head, hint);

    expect(findTail(nodeIo, bench.layout)).toBe(5);
    expect(bench.refresh(nodeIo, { turn: 'next', text: 'next' })).toMatchObject({ event: { sequence: 6 } });
  });

  it('is neither followed as a link nor waited for as a pipe', () => {
    const bench = start(3);
    const outside = join(bench.folder, 'outside');
    writeFileSync(outside, 'untouched');
    unlinkSync(bench.layout.head);
    symlinkSync(outside, bench.layout.head);

    bench.refresh(nodeIo, { turn: 'linked', text: 'linked' });
    unlinkSync(bench.layout.head);
    execFileSync('mkfifo', [bench.layout.head]);
    bench.refresh(nodeIo, { turn: 'piped', text: 'piped' });

    expect(readFileSync(outside, 'utf8')).toBe('untouched');
    expect(findTail(nodeIo, bench.layout)).toBe(5);
  });
});

describe('the cursor', () => {
  it.each([
    ['missing', (file: string) => unlinkSync(file)],
    ['empty', (file: string) => truncateSync(file)],
    ['garbage in both slots', (file: string) => writeFileSync(file, 'x'.repeat(128))],
    ['flipped in both slots', (file: string) => [10, 74].forEach((at) => void flip(file, at))],
  ])('is found again from the aggregate where it is %s', async (_name, damage) => {
    const bench = start(3);
    await bench.drain(nodeIo);

    damage(bench.layout.cursor);
    const judged: string[] = [];
    const { processed } = await bench.drain(nodeIo, { evaluate: (id) => void judged.push(id) });

    expect([processed, judged]).toEqual([[], []]);
    expect(receiptProblems(bench, nodeIo)).toEqual([]);
  });

  it('is found again from the journal where the aggregate is gone too, and nothing is judged again', async () => {
    const bench = start(40);
    await bench.drain(nodeIo);
    const before = readAggregate(nodeIo, bench.layout);
    unlinkSync(bench.layout.cursor);
    unlinkSync(bench.layout.aggregate);
    const judged: string[] = [];

    const { ended } = await bench.drain(nodeIo, { evaluate: (id) => void judged.push(id) });

    const after = readAggregate(nodeIo, bench.layout);
    expect([ended, judged]).toEqual([null, []]);
    expect(after).toEqual(before);
    expect(receiptProblems(bench, nodeIo)).toEqual([]);
  });

  it('that is behind makes nothing twice', async () => {
    const bench = start(4);
    await bench.drain(nodeIo, { max: 2 });
    const behind = readFileSync(bench.layout.cursor);
    await bench.drain(nodeIo);
    const before = bench.receipts(nodeIo);
    const counts = readAggregate(nodeIo, bench.layout);
    writeFileSync(bench.layout.cursor, behind);

    await bench.drain(nodeIo);

    expect(bench.receipts(nodeIo)).toEqual(before);
    expect(readAggregate(nodeIo, bench.layout)).toEqual(counts);
  });

  it('that is ahead of the chain stops the drain, and the owner can go on from what is there', async () => {
    const bench = start(4);
    await bench.drain(nodeIo);
    for (const lost of [3, 4]) unlinkSync(bench.layout.event(lost));
    unlinkSync(bench.layout.head);

    const stopped = await bench.drain(nodeIo);
    bench.refresh(nodeIo, { turn: 'new', text: 'new' });
    const still = await bench.drain(nodeIo);
    acceptRollback(nodeIo, bench.layout);
    const after = await bench.drain(nodeIo);

    expect(stopped.ended).toEqual({ why: 'rolled_back', judged: 4, tail: 2 });
    expect(still.ended).toMatchObject({ why: 'rolled_back' });
    expect(after.ended).toBeNull();
    expect(after.processed.map(({ run }) => run?.turn_instance_id)).toEqual(['new']);
  });

  it('that speaks of another history stops the drain before an unjudged event passes for judged', async () => {
    const bench = start(3);
    const copy = `${bench.state}-copy`;
    execFileSync('cp', ['-a', bench.state, copy]);
    bench.refresh(nodeIo, { turn: 'lost', text: 'lost' });
    await bench.drain(nodeIo);
    const cursor = readFileSync(bench.layout.cursor);
    rmSync(bench.state, { recursive: true });
    renameSync(copy, bench.state);
    bench.refresh(nodeIo, { turn: 'other', text: 'other' });
    writeFileSync(bench.layout.cursor, cursor);

    const stopped = await bench.drain(nodeIo);
    acceptRollback(nodeIo, bench.layout);
    const after = await bench.drain(nodeIo, { adopts: true });

    expect(stopped.ended).toEqual({ why: 'rolled_back', judged: 4, tail: 4 });
    expect(after.processed.map(({ run }) => run?.turn_instance_id)).toContain('other');
  });
});

describe('an aggregate', () => {
  it.each([
    ['missing', (file: string) => unlinkSync(file)],
    ['cut off', (file: string) => truncateSync(file, 40)],
    ['of another version', (file: string) => writeFileSync(file, '{"schema_version":"drift_aggregate_v9"}')],
  ])('is made anew where it is %s, damaged and missing entries counted as before', async (_name, damage) => {
    const bench = start(8);
    flip(bench.layout.event(2), 400);
    unlinkSync(bench.layout.event(5));
    await bench.drain(nodeIo);
    const before = readAggregate(nodeIo, bench.layout);

    damage(bench.layout.aggregate);
    bench.refresh(nodeIo, { turn: 'next', text: 'next' });
    await bench.drain(nodeIo);

    const after = readAggregate(nodeIo, bench.layout);
    expect(before?.reasons).toMatchObject({ corrupt_event: 1, gap: 1 });
    expect(after?.reasons).toEqual({ ...before?.reasons, structural_unproven: 6 });
    expect(after?.queued_through).toBe((before?.queued_through ?? 0) + 1);
  });
});

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

describe('an entry', () => {
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

describe('strangers among the entries', () => {
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

describe('a receipt that is already there', () => {
  const receiptOf = (bench: SpoolBench, sequence: number): string => {
    const { event_id } = bench.chain(nodeIo)[sequence] ?? { event_id: '' };
    return join(bench.goal.receipts, `${event_id}.json`);
  };

  it('with other bytes stops the drain and is left as it is; moved away, the work goes on', async () => {
    const bench = start(3);
    const file = receiptOf(bench, 2);
    const forged = readFileSync(file, 'utf8')
      .replace('"not_evaluated"', '"abstained"')
      .replace('"pending_evaluation"', '"structural_unproven"');
    writeFileSync(file, forged);
    let judged = 0;
    const evaluate = (): void => {
      judged += 1;
    };

    const first = await bench.drain(nodeIo, { evaluate });
    const second = await bench.drain(nodeIo, { evaluate });
    const kept = readFileSync(file, 'utf8');
    renameSync(file, join(bench.folder, 'kept.json'));
    const third = await bench.drain(nodeIo, { evaluate });

    expect([first.ended, second.ended]).toEqual([
      { why: 'conflict', file },
      { why: 'conflict', file },
    ]);
    expect(kept).toBe(forged);
    expect(first.processed.map(({ sequence }) => sequence)).toEqual([1]);
    expect(third.ended).toBeNull();
    expect(judged).toBe(3);
    expect(receiptProblems(bench, nodeIo)).toEqual([]);
  });

  it.each([
    ['of another kind of document', (file: string) => writeFileSync(file, '{"schema_version":"nonsense"}')],
    [
      'as a link',
      (file: string) => {
        unlinkSync(file);
        symlinkSync('/etc/hostname', file);
      },
    ],
    [
      'as a folder',
      (file: string) => {
        unlinkSync(file);
        mkdirSync(file);
      },
    ],
  ])('%s is left as it is and named', async (_name, put) => {
    const bench = start(2);
    const file = receiptOf(bench, 1);
    put(file);

    expect((await bench.drain(nodeIo)).ended).toEqual({ why: 'conflict', file });
  });

  it.each([
    ['empty', ''],
    ['zeros', '\0'.repeat(900)],
    ['the first half', null],
  ])('as a power cut leaves it (%s) is made whole', async (_name, bytes) => {
    const bench = start(3);
    const file = receiptOf(bench, 2);
    writeFileSync(file, bytes ?? readFileSync(file).subarray(0, 400));

    await bench.drain(nodeIo);

    expect(receiptProblems(bench, nodeIo)).toEqual([]);
  });

  it('is published again with the same bytes when its reader takes it away while drain runs', async () => {
    const bench = start(6);
    const seen = new Map<string, Set<string>>();
    const take = (): void => {
      for (const name of namesIn(nodeIo, bench.goal.receipts)) {
        const file = join(bench.goal.receipts, name);
        const text = readFileSync(file, 'utf8');
        if (text.includes('pending_evaluation')) continue;
        seen.set(name, (seen.get(name) ?? new Set()).add(text));
        unlinkSync(file);
      }
    };
    for (let n = 0; n < 3; n += 1) {
      await bench.drain(nodeIo, { max: 2, evaluate: take });
      take();
    }

    expect(seen.size).toBe(6);
    expect([...seen.values()].filter((texts) => texts.size > 1)).toEqual([]);
  });
});

describe('the runtime', () => {
  it('is made again where it is missing', async () => {
    const bench = start(2);
    rmSync(bench.goal.goal, { recursive: true });

    await bench.drain(nodeIo);

    expect(receiptProblems(bench, nodeIo)).toEqual([]);
    expect(statSync(bench.goal.receipts).mode & 0o777).toBe(0o700);
  });

  it.each(['goal', 'review', 'receipts', 'staging'] as const)(
    'with a link in place of %s is a detour',
    (part) => {
      const bench = start(2);
      const elsewhere = join(bench.folder, 'elsewhere');
      renameSync(bench.goal[part], elsewhere);
      symlinkSync(elsewhere, bench.goal[part]);

      expect(findDetour(bench.goal)).toBe(bench.goal[part]);
    },
  );

  it('with a file in place of the root is one too', () => {
    const bench = start(1);
    const root = join(bench.folder, 'runtime');
    rmSync(root, { recursive: true });
    writeFileSync(root, '');

    expect(findDetour(bench.goal)).toBe(root);
  });
});
