import { existsSync, mkdirSync, rmdirSync, rmSync, utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { acquireDrainLock, isFromFuture } from '../../src/spool/drain-lock.ts';
import { nodeIo } from '../../src/spool/spool-io.ts';
import { temporaryFolder } from '../support/rig.ts';
import { makeSpoolBench, type SpoolBench } from '../support/spool-bench.ts';
import { receiptProblems } from './invariants.ts';

const STALE_MS = 2_000;

function start(turns: number): SpoolBench {
  const bench = makeSpoolBench(temporaryFolder());
  bench.prepare(nodeIo);
  for (let n = 0; n <= turns; n += 1)
    bench.refresh(nodeIo, { turn: n === 0 ? null : `t${n}`, text: `${n}\n` });
  return bench;
}

const acquire = ({ state, layout }: SpoolBench, signal?: AbortSignal) =>
  acquireDrainLock(state, layout, { staleMs: STALE_MS, ...(signal ? { signal } : {}) });

/** Leaves the lock of somebody who died so long ago; a negative number lies ahead. */
function deadLock({ layout }: SpoolBench, secondsAgo: number): void {
  mkdirSync(layout.drainLock, { mode: 0o700 });
  const at = Date.now() / 1_000 - secondsAgo;
  utimesSync(layout.drainLock, at, at);
}

describe('D8 two drains at once, as if there were no lock', () => {
  it('publish one receipt an event, each with the bytes of its one result', async () => {
    const bench = start(12);
    const judged: string[] = [];
    const evaluate = async (id: string): Promise<void> => {
      judged.push(id);
      await sleep(Math.random() * 4);
    };

    await Promise.all([bench.drain(nodeIo, { evaluate }), bench.drain(nodeIo, { evaluate })]);
    await bench.drain(nodeIo, { evaluate });

    expect(judged.length).toBeGreaterThan(12);
    expect(receiptProblems(bench, nodeIo)).toEqual([]);
    expect(bench.receipts(nodeIo)).toHaveLength(12);
  });
});

describe('D9 D10 a lock that is taken away while an event is judged', () => {
  it.each([
    ['removed', ({ layout }: SpoolBench) => rmdirSync(layout.drainLock)],
    ['taken by another', ({ layout }: SpoolBench) => utimesSync(layout.drainLock, 1, Date.now() / 1_000 + 1)],
  ])('%s: the drain publishes nothing more, and lives', async (_name, rob) => {
    const bench = start(3);
    const lock = await acquire(bench);
    if (lock === null) throw new Error('the lock is not to be had');
    const before = bench.receipts(nodeIo);

    const { ended, processed } = await bench.drain(nodeIo, {
      isLost: lock.isLost,
      evaluate: () => rob(bench),
    });
    await sleep(STALE_MS / 2);
    await lock.release();

    expect([ended, processed]).toEqual([{ why: 'lost_lock' }, []]);
    expect(bench.receipts(nodeIo)).toEqual(before);
    rmSync(bench.layout.drainLock, { recursive: true, force: true });
    await bench.drain(nodeIo);
    expect(receiptProblems(bench, nodeIo)).toEqual([]);
  });
});

describe('D11 the lock of a dead drain', () => {
  it('that six want at once leads to one receipt an event, however many of them get it', async () => {
    const bench = start(6);
    deadLock(bench, 60);

    const drained = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const lock = await acquire(bench);
        if (lock === null) return 0;
        const { processed } = await bench.drain(nodeIo, { isLost: lock.isLost, evaluate: () => sleep(3) });
        await lock.release();
        return processed.length;
      }),
    );
    rmSync(bench.layout.drainLock, { recursive: true, force: true });
    await bench.drain(nodeIo);

    expect(Math.max(...drained)).toBeGreaterThan(0);
    expect(receiptProblems(bench, nodeIo)).toEqual([]);
  });

  it('D5 is taken over once it has given no sign of life for long enough, and not before', async () => {
    const bench = start(1);
    deadLock(bench, STALE_MS / 1_000 - 1);

    const early = await acquire(bench);
    await sleep(1_300);
    const late = await acquire(bench);
    await late?.release();

    expect([early, late !== null]).toEqual([null, true]);
  });

  it('D16 is judged by its time alone: whose number it might bear counts for nothing', async () => {
    const bench = start(1);
    deadLock(bench, 60);
    // A process of this number is alive, and has nothing to do with the lock.
    mkdirSync(`${bench.layout.staging}/${process.pid}-left`);

    const lock = await acquire(bench);
    await lock?.release();

    expect(lock).not.toBeNull();
    expect(existsSync(`${bench.layout.staging}/${process.pid}-left`)).toBe(true);
  });
});

describe('D12 a lock whose time lies ahead', () => {
  it('is watched by a clock that cannot jump, and taken over when nobody renews it', async () => {
    const bench = start(1);
    deadLock(bench, -3_600);
    const begin = performance.now();

    const isAhead = isFromFuture(bench.layout, STALE_MS);
    const lock = await acquire(bench);
    const waitedMs = performance.now() - begin;
    await lock?.release();

    expect([isAhead, lock !== null]).toEqual([true, true]);
    expect(waitedMs).toBeGreaterThan(STALE_MS - 100);
  });

  it('is left to a holder that renews it, however wrong its clock is', async () => {
    const bench = start(1);
    deadLock(bench, -3_600);
    let renewals = 0;
    const renew = setInterval(() => {
      renewals += 1;
      const at = Date.now() / 1_000 + 3_600 + renewals;
      utimesSync(bench.layout.drainLock, at, at);
    }, 400);

    const lock = await acquire(bench);
    clearInterval(renew);

    expect(lock).toBeNull();
  });

  it('is not waited for any longer once the owner says stop', async () => {
    const bench = start(1);
    deadLock(bench, -3_600);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    const begin = performance.now();

    expect(await acquire(bench, stop.signal)).toBeNull();
    expect(performance.now() - begin).toBeLessThan(STALE_MS);
  });
});

describe('D15 a drain that lets no timer run for longer than its lock lives', () => {
  it('finds its lock gone before it publishes', async () => {
    const bench = start(2);
    const lock = await acquire(bench);
    if (lock === null) throw new Error('the lock is not to be had');

    const { ended } = await bench.drain(nodeIo, {
      isLost: lock.isLost,
      evaluate: () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALE_MS + 300);
        // What another drain does once the lock is stale.
        rmdirSync(bench.layout.drainLock);
        mkdirSync(bench.layout.drainLock);
      },
    });
    await lock.release();

    expect(ended).toEqual({ why: 'lost_lock' });
    expect(existsSync(bench.layout.drainLock)).toBe(true);
  });
});
