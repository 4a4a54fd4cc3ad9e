import { afterEach, describe, expect, it, vi } from 'vitest';
import { findTail } from '../../src/spool/tail.ts';
import { Crash, faultyIo } from '../support/faulty-io.ts';
import { diskWith, type ModelFs } from '../support/model-fs.ts';
import { temporaryFolder } from '../support/rig.ts';
import { makeSpoolBench, type SpoolBench } from '../support/spool-bench.ts';
import { chainProblems, receiptProblems } from './invariants.ts';

function start(turns: number): { bench: SpoolBench; disk: ModelFs } {
  const bench = makeSpoolBench(temporaryFolder());
  const disk = diskWith(bench.state);
  bench.prepare(disk.io);
  for (let n = 0; n <= turns; n += 1)
    bench.refresh(disk.io, { turn: n === 0 ? null : `t${n}`, text: `${n}\n` });
  return { bench, disk };
}

const verdicts = (bench: SpoolBench, disk: ModelFs): unknown[] =>
  bench.receipts(disk.io).map(({ status, reason }) => [status, reason]);

describe('D33 an evaluator', () => {
  it('that throws fails its event, once, and later ones go on', async () => {
    const { bench, disk } = start(3);
    let called = 0;

    await bench.drain(disk.io, {
      evaluate: () => {
        called += 1;
        if (called === 2) throw new Error('broken');
      },
    });

    expect(called).toBe(3);
    expect(verdicts(bench, disk)).toEqual([
      ['abstained', 'structural_unproven'],
      ['failed', 'evaluator_error'],
      ['abstained', 'structural_unproven'],
    ]);
  });

  it('that ends its process is asked three times at most, then the event is poison and later ones go on', async () => {
    const { bench, disk } = start(3);
    const poisonous = bench.chain(disk.io)[2]?.event_id;
    const asked: string[] = [];
    const deaths: unknown[] = [];

    for (let n = 0; n < 5; n += 1) {
      let isDead = false;
      // A process that is gone writes nothing more: from then on every call of its io throws.
      const { io } = faultyIo(disk.io, () => {
        if (isDead) throw new Crash('gone');
        return undefined;
      });
      const evaluate = (id: string): void => {
        asked.push(id);
        isDead = id === poisonous;
      };
      await bench.drain(io, { evaluate }).catch((error: unknown) => deaths.push(error));
    }

    expect(asked.filter((id) => id === poisonous)).toHaveLength(3);
    expect(deaths).toHaveLength(3);
    expect(verdicts(bench, disk)).toEqual([
      ['abstained', 'structural_unproven'],
      ['failed', 'poison'],
      ['abstained', 'structural_unproven'],
    ]);
    expect(receiptProblems(bench, disk.io)).toEqual([]);
  });
});

describe('D13 a clock that is set back between two turns', () => {
  afterEach(() => void vi.useRealTimers());

  it('changes nothing in the order, which is that of the numbers', async () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 5, 1, 12), toFake: ['Date'] });
    const { bench, disk } = start(2);
    vi.setSystemTime(Date.UTC(2026, 5, 1, 11));
    bench.refresh(disk.io, { turn: 'earlier', text: 'earlier\n' });

    const { processed } = await bench.drain(disk.io);

    expect(processed.map(({ run }) => run?.turn_instance_id)).toEqual(['t1', 't2', 'earlier']);
    expect(findTail(disk.io, bench.layout)).toBe(3);
    expect(chainProblems(bench, disk.io, [])).toEqual([]);
  });
});
