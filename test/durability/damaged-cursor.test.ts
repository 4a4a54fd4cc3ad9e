import { execFileSync } from 'node:child_process';
import {
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAggregate } from '../../src/drain/aggregate.ts';
import { acceptRollback } from '../../src/drain/resume.ts';
import { nodeIo } from '../../src/spool/spool-io.ts';
import { findTail } from '../../src/spool/tail.ts';
import { flip, start } from './damaged-state.ts';
import { receiptProblems } from './invariants.ts';

describe('D29 the hint of where the chain ends', () => {
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
    expect(readFileSync(bench.layout.head, 'latin1')).toBe('000000000006\n');
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

describe('D30 the cursor', () => {
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

describe('D30 an aggregate', () => {
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
