import { describe, expect, it } from 'vitest';
import { Crash, crashAt, type Fault, faultyIo, noFault } from '../support/faulty-io.ts';
import { diskWith, type ModelFs, type PowerCut, powerCuts } from '../support/model-fs.ts';
import { temporaryFolder } from '../support/rig.ts';
import { makeSpoolBench, namesIn, type SpoolBench } from '../support/spool-bench.ts';
import { chainProblems, receiptProblems } from './invariants.ts';

/** A process that is killed leaves the disk as it was; a power cut takes what was not synced. */
const endings: readonly { readonly name: string; readonly cut: PowerCut | null }[] = [
  { name: 'the process is killed', cut: null },
  ...powerCuts.map((cut) => ({ name: `power is cut: names ${cut.names}, bytes ${cut.bytes}`, cut })),
];

/** An observer's disk after some turns, and the events that were acknowledged. */
function diskAfter(bench: SpoolBench, texts: readonly string[]) {
  const disk = diskWith(bench.state);
  bench.prepare(disk.io);
  disk.settle();
  const acknowledged = texts.map((text, n) => {
    const result = bench.refresh(disk.io, { turn: n === 0 ? null : `t${n}`, text });
    return result.status === 'enqueued' ? result.event.event_id : 'not acknowledged';
  });
  return { disk, acknowledged };
}

/** How many calls a piece of work makes when nothing goes wrong. */
async function countCalls(disk: ModelFs, work: (fault: Fault) => unknown): Promise<number> {
  let calls = 0;
  await work(({ n }) => {
    calls = n;
    return undefined;
  });
  expect(disk.openHandles).toBe(0);
  return calls;
}

/** Runs a piece of work that may die on the way. */
async function untilDeath(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
}

describe('D1 D17 enqueue, stopped before any one of its calls', () => {
  it.each(endings)('loses and doubles nothing when $name', async ({ cut }) => {
    const bench = makeSpoolBench(temporaryFolder());
    const start = diskAfter(bench, ['0', '1', '2']);
    const turn = { turn: 'stopped', text: 'stopped' };
    const total = await countCalls(start.disk.copy(), (fault) =>
      bench.refresh(faultyIo(start.disk.copy().io, fault).io, turn),
    );
    const problems: string[] = [];

    for (let k = 1; k <= total + 1; k += 1) {
      const disk = start.disk.copy();
      const acknowledged = [...start.acknowledged];
      await untilDeath(() => {
        const result = bench.refresh(faultyIo(disk.io, crashAt(k)).io, turn);
        if (result.status === 'enqueued') acknowledged.push(result.event.event_id);
      });
      disk.end(cut);
      const found = chainProblems(bench, disk.io, acknowledged);
      if (namesIn(disk.io, bench.layout.staging).length > 1) found.push('more than one file is left over');
      bench.refresh(disk.io, turn);
      bench.refresh(disk.io, { turn: 'next', text: 'next' });
      await bench.drain(disk.io);
      const again = bench.chain(disk.io).filter(({ run }) => run?.turn_instance_id === 'stopped').length;
      if (again !== 1) found.push(`the turn is there ${again} times`);
      found.push(...chainProblems(bench, disk.io, acknowledged), ...receiptProblems(bench, disk.io));
      problems.push(...found.map((problem) => `call ${k}: ${problem}`));
    }

    expect(total).toBeGreaterThan(20);
    expect(problems).toEqual([]);
  });
});

describe('D2 D17 drain, stopped before any one of its calls', () => {
  it.each(endings)('publishes one verdict an event, judged twice at most, when $name', async ({ cut }) => {
    const bench = makeSpoolBench(temporaryFolder());
    const start = diskAfter(bench, ['0', '1', '2', '2', '3']);
    const total = await countCalls(start.disk, (fault) =>
      bench.drain(faultyIo(start.disk.copy().io, fault).io),
    );
    const problems: string[] = [];

    for (let k = 1; k <= total; k += 1) {
      const disk = start.disk.copy();
      const acknowledged = [...start.acknowledged];
      const judged = new Map<string, number>();
      const evaluate = (id: string): void => void judged.set(id, (judged.get(id) ?? 0) + 1);
      await untilDeath(() => bench.drain(faultyIo(disk.io, crashAt(k)).io, { evaluate }));
      disk.end(cut);
      const between = bench.refresh(disk.io, { turn: 'between', text: 'between' });
      if (between.status === 'enqueued') acknowledged.push(between.event.event_id);
      const { remaining, ended } = await bench.drain(disk.io, { evaluate });
      const again = await bench.drain(disk.io, { evaluate });
      const found = [...chainProblems(bench, disk.io, acknowledged), ...receiptProblems(bench, disk.io)];
      if (remaining !== 0 || ended !== null || again.processed.length > 0)
        found.push('it does not come to its end');
      if (Math.max(...judged.values()) > 2) found.push('an event is judged three times');
      if (disk.openHandles > 0) found.push('a handle is left open');
      problems.push(...found.map((problem) => `call ${k}: ${problem}`));
    }

    expect(total).toBeGreaterThan(100);
    expect(problems).toEqual([]);
  });

  it('has nothing to lose to a power cut once the cursor has moved', async () => {
    const bench = makeSpoolBench(temporaryFolder());
    const { disk } = diskAfter(bench, ['0', '1', '1', '2']);
    await bench.drain(faultyIo(disk.io, noFault).io);

    disk.end({ names: 'synced', bytes: 'synced' });

    expect(receiptProblems(bench, disk.io)).toEqual([]);
    expect((await bench.drain(disk.io)).processed).toEqual([]);
  });
});
