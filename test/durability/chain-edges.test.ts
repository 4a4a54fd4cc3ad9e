import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeEvent } from '../../src/spool/event-format.ts';
import { readEvent, readText } from '../../src/spool/read-event.ts';
import { crashAt, faultyIo, noFault } from '../support/faulty-io.ts';
import { diskWith, type ModelFs } from '../support/model-fs.ts';
import { temporaryFolder } from '../support/rig.ts';
import { makeSpoolBench, type SpoolBench } from '../support/spool-bench.ts';
import { chainProblems, receiptProblems } from './invariants.ts';

const strict = { names: 'synced', bytes: 'synced' } as const;

function start(turns = 0): { bench: SpoolBench; disk: ModelFs; acknowledged: string[] } {
  const bench = makeSpoolBench(temporaryFolder());
  const disk = diskWith(bench.state);
  bench.prepare(disk.io);
  disk.settle();
  const acknowledged: string[] = [];
  for (let n = 0; n < turns; n += 1) acknowledged.push(idOf(bench, disk, n === 0 ? null : `t${n}`));
  return { bench, disk, acknowledged };
}

function idOf(bench: SpoolBench, disk: ModelFs, turn: string | null): string {
  const result = bench.capture(disk.io, { turn, text: `text of ${turn}` });
  return result.status === 'enqueued' ? result.event.event_id : 'not acknowledged';
}

function survivesDeath(work: () => void): void {
  try {
    work();
  } catch {
    // The process is gone; the disk is what counts.
  }
}

describe('two writers', () => {
  it('D7 agree on who is next, and the loser composes on the state that the winner left', () => {
    const { bench, disk } = start(2);
    let isFirstTry = true;

    const late = bench.capture(disk.io, {
      turn: 'late',
      text: 'late',
      gate: () => {
        if (isFirstTry) bench.capture(disk.io, { turn: 'early', text: 'early' });
        isFirstTry = false;
      },
    });

    const [, , early, last] = bench.chain(disk.io);
    expect(late).toMatchObject({ status: 'enqueued', event: { sequence: 3, status: 'overlap' } });
    expect(early?.run?.turn_instance_id).toBe('early');
    expect(last?.files[0]?.before?.sha256).toBe(early?.files[0]?.sha256);
    expect(chainProblems(bench, disk.io, [])).toEqual([]);
  });

  it('do not both capture one turn, even where the first is still the newest entry', () => {
    const { bench, disk } = start(2);

    const first = bench.capture(disk.io, { turn: 'same', text: 'a' });
    const second = bench.capture(disk.io, { turn: 'same', text: 'b' });

    expect([first.status, second.status]).toEqual(['enqueued', 'declined']);
  });

  it('give up as contended when somebody else is always first', () => {
    const { bench, disk } = start(1);
    let others = 0;

    const result = bench.capture(disk.io, {
      turn: 'patient',
      text: 'patient',
      budgetMs: 30,
      gate: () => {
        others += 1;
        bench.capture(disk.io, { turn: `other ${others}`, text: `other ${others}` });
      },
    });

    expect(result.status).toBe('contended');
    expect(chainProblems(bench, disk.io, [])).toEqual([]);
  });
});

describe('a power cut', () => {
  it('D18 cannot take an event that drain has judged, though its writer was stopped before it was durable', async () => {
    const { bench, disk, acknowledged } = start(2);
    await bench.drain(disk.io);
    const { calls } = faultyIo(disk.copy().io, noFault);
    const probe = disk.copy();
    const seen = faultyIo(probe.io, noFault);
    bench.capture(seen.io, { turn: 'visible', text: 'visible' });
    const linked = seen.calls.findIndex(
      ({ call, args }) => call === 'linkSync' && String(args[1]).includes('/ev/'),
    );
    survivesDeath(() => {
      bench.capture(faultyIo(disk.io, crashAt(linked + 2)).io, { turn: 'visible', text: 'visible' });
    });

    const { processed } = await bench.drain(disk.io);
    disk.end(strict);

    expect(calls).toEqual([]);
    expect(processed.map(({ run }) => run?.turn_instance_id)).toEqual(['visible']);
    expect(bench.chain(disk.io).at(-1)?.run?.turn_instance_id).toBe('visible');
    expect(chainProblems(bench, disk.io, acknowledged)).toEqual([]);
    expect(receiptProblems(bench, disk.io)).toEqual([]);
  });

  it('D18 does not make an event that took the number of a lost one pass for judged', async () => {
    const { bench, disk } = start(2);
    const lost = disk.copy();
    bench.capture(lost.io, { turn: 'lost', text: 'lost' });
    await bench.drain(lost.io);
    const shard = '00000000.jsonl';
    await bench.drain(disk.io);
    disk.plant(`${bench.layout.journal}/${shard}`, lost.read(`${bench.layout.journal}/${shard}`));
    bench.capture(disk.io, { turn: 'new', text: 'new' });

    const { processed } = await bench.drain(disk.io);

    expect(processed.map(({ run }) => run?.turn_instance_id)).toEqual(['new']);
  });

  it('D19 leaves no gap where a shard is full, whoever was stopped while starting the next', () => {
    const { bench, disk: full } = start(999);
    const problems: string[] = [];
    const counting = faultyIo(full.copy().io, noFault);
    for (const turn of ['a', 'b']) bench.capture(counting.io, { turn, text: turn });

    for (let k = 1; k <= counting.calls.length + 1; k += 1) {
      const disk = full.copy();
      const acknowledged: string[] = [];
      const { io } = faultyIo(disk.io, crashAt(k));
      survivesDeath(() => {
        for (const turn of ['a', 'b']) {
          const result = bench.capture(io, { turn, text: turn });
          if (result.status === 'enqueued') acknowledged.push(result.event.event_id);
        }
      });
      disk.end(k % 2 === 0 ? strict : null);
      const next = bench.capture(disk.io, { turn: 'c', text: 'c' });
      if (next.status === 'enqueued') acknowledged.push(next.event.event_id);
      disk.end(strict);
      problems.push(
        ...chainProblems(bench, disk.io, acknowledged, 990).map((problem) => `call ${k}: ${problem}`),
      );
    }

    expect(counting.calls.length).toBeGreaterThan(40);
    expect(problems).toEqual([]);
  });

  it('that took the markers doubles no verdict when the turn is captured again', async () => {
    const { bench, disk } = start(1);
    bench.refresh(disk.io, { turn: 'twice', text: 'a' });
    bench.refresh(disk.io, { turn: 'other', text: 'b' });
    disk.end(strict);
    const again = bench.refresh(disk.io, { turn: 'twice', text: 'c' });
    bench.refresh(disk.io, { turn: 'last', text: 'd' });

    const { processed } = await bench.drain(disk.io);

    const found = processed.map(({ run, reason }) => [run?.turn_instance_id, reason]);
    const first = bench.receipts(disk.io).filter(({ run }) => run.turn_instance_id === 'twice');
    expect(again.status).toBe('enqueued');
    expect(found.filter(([, reason]) => reason === 'duplicate_event')).toEqual([
      ['twice', 'duplicate_event'],
    ]);
    expect(first.map(({ sequence, status }) => [sequence, status])).toEqual([[1, 'abstained']]);
  });
});

describe('the number of calls that an enqueue makes', () => {
  it('D39 is the same after ten events and after a hundred thousand', () => {
    const countAfter = (events: number): number => {
      const { bench, disk } = start(10);
      const newest = bench.chain(disk.io).at(-1);
      if (!newest) throw new Error('there is no event');
      for (let n = 10; n < events; n += 1) {
        if (n % 1_000 === 0) disk.io.mkdirSync(bench.layout.eventShard(n), 0o700);
        const { header } = encodeEvent({ ...newest, sequence: n });
        disk.plant(bench.layout.event(n), n === events - 1 ? header : '');
      }
      disk.plant(bench.layout.head, `${events - 1}\n`);
      const { io, calls } = faultyIo(disk.io, noFault);
      bench.capture(io, { turn: 'counted', text: 'counted' });
      expect(bench.layout.event(events)).toContain(String(events));
      return calls.length;
    };

    expect(countAfter(100_500)).toBe(countAfter(11));
  });

  it('holds two syncs', () => {
    const { bench, disk } = start(3);
    const { io, calls } = faultyIo(disk.io, noFault);

    bench.capture(io, { turn: 'synced', text: 'synced' });

    expect(calls.filter(({ call }) => call === 'fsyncSync').length).toBe(2);
  });

  it('D38 does not grow with what killed writers left behind', () => {
    const count = (leftovers: number): number => {
      const { bench, disk } = start(3);
      for (let n = 0; n < leftovers; n += 1) disk.plant(`${bench.layout.staging}/${n}`, 'left');
      const { io, calls } = faultyIo(disk.io, noFault);
      bench.capture(io, { turn: 'counted', text: 'counted' });
      return calls.length;
    };

    expect(count(10_000)).toBe(count(0));
  });
});

describe('a text', () => {
  it('D32 comes back byte for byte, whatever is in it', () => {
    const { bench, disk } = start(1);
    let turn = 0;

    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        turn += 1;
        const bytes = Buffer.from(`${turn} ${text}`);
        const result = bench.capture(disk.io, { turn: `t${turn}`, text: bytes.toString('utf8') });
        if (result.status !== 'enqueued') throw new Error(result.status);
        const decoded = readEvent(disk.io, bench.layout, result.event.sequence);
        const file = decoded?.ok ? decoded.stored.event.files[0] : null;
        if (!file?.text || !file.sha256 || !file.stat) throw new Error('there is no text');
        const read = readText(disk.io, bench.layout, {
          place: file.text,
          size: file.stat.size,
          sha256: file.sha256,
        });
        return read?.equals(Buffer.from(bytes.toString('utf8'))) === true;
      }),
      { numRuns: 60 },
    );
  });

  it('D32 of a hundred kilobytes comes back too, and one with a wrong digest does not', () => {
    const { bench, disk } = start(1);
    const text = 'x'.repeat(102_400);
    bench.capture(disk.io, { turn: 'large', text });
    const decoded = readEvent(disk.io, bench.layout, 1);
    const place = decoded?.ok ? decoded.stored.event.files[0]?.text : null;
    if (!place) throw new Error('there is no text');
    const sha256 = '8'.repeat(64);

    expect(readText(disk.io, bench.layout, { place, size: text.length, sha256 })).toBeNull();
  });
});
