import { describe, expect, it } from 'vitest';
import { errorCode } from '../../src/spool/spool-io.ts';
import { failAt, failOn, faultyIo } from '../support/faulty-io.ts';
import { diskWith } from '../support/model-fs.ts';
import { temporaryFolder } from '../support/rig.ts';
import { makeSpoolBench, namesIn } from '../support/spool-bench.ts';
import { chainProblems, receiptProblems } from './invariants.ts';

/** Far beyond what any of it makes; a retry without end would show as this many. */
const MAX_CALLS = 1_000;
const codes = ['ENOSPC', 'EIO'];

async function start() {
  const bench = makeSpoolBench(temporaryFolder());
  const disk = diskWith(bench.state);
  bench.prepare(disk.io);
  const acknowledged = ['0', '1', '2', '2'].map((text, n) => {
    const result = bench.refresh(disk.io, { turn: n === 0 ? null : `t${n}`, text });
    return result.status === 'enqueued' ? result.event.event_id : 'not acknowledged';
  });
  return { bench, disk, acknowledged };
}

/** What work came to: its value, or the code that it threw. */
async function outcomeOf<T>(work: () => T | Promise<T>): Promise<T | { readonly code: string }> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return { code };
  }
}

describe('a call that fails', () => {
  it.each(codes)(
    'D20 D23 of enqueue with %s leaves a whole chain, no half file and no open handle',
    async (code) => {
      const { bench, disk: first, acknowledged: before } = await start();
      const problems: string[] = [];
      let calls = 1;

      for (let k = 1; k <= Math.min(calls, MAX_CALLS); k += 1) {
        const disk = first.copy();
        const acknowledged = [...before];
        const { io, calls: made } = faultyIo(disk.io, failAt(k, code));
        const outcome = await outcomeOf(() => bench.refresh(io, { turn: 'failing', text: 'failing' }));
        calls = Math.max(calls, made.length);
        if ('status' in outcome && outcome.status === 'enqueued') acknowledged.push(outcome.event.event_id);
        const failed = made[k - 1]?.call;
        const isLeak = failed !== 'closeSync' && disk.openHandles > 0;
        // A file whose very removal fails is all that may be left.
        const isLeft = failed !== 'unlinkSync' && namesIn(disk.io, bench.layout.staging).length > 0;
        bench.refresh(disk.io, { turn: 'next', text: 'next' });
        await bench.drain(disk.io);
        const found = [...chainProblems(bench, disk.io, acknowledged), ...receiptProblems(bench, disk.io)];
        if (isLeak) found.push('a handle is left open');
        if (isLeft) found.push('a file is left in staging');
        problems.push(...found.map((problem) => `call ${k} (${failed}): ${problem}`));
      }

      expect(calls).toBeLessThan(MAX_CALLS);
      expect(problems).toEqual([]);
    },
  );

  it.each(codes)(
    'D20 D23 of drain with %s is reported or made up for, and the next drain ends the work',
    async (code) => {
      const { bench, disk: first, acknowledged } = await start();
      const problems: string[] = [];
      let calls = 1;

      for (let k = 1; k <= Math.min(calls, MAX_CALLS); k += 1) {
        const disk = first.copy();
        const { io, calls: made } = faultyIo(disk.io, failAt(k, code));
        await outcomeOf(() => bench.drain(io));
        calls = Math.max(calls, made.length);
        const isLeak = made[k - 1]?.call !== 'closeSync' && disk.openHandles > 0;
        const { remaining, ended } = await bench.drain(disk.io);
        const found = [...chainProblems(bench, disk.io, acknowledged), ...receiptProblems(bench, disk.io)];
        if (isLeak) found.push('a handle is left open');
        if (remaining !== 0 || ended !== null) found.push('the next drain does not end the work');
        problems.push(...found.map((problem) => `call ${k} (${made[k - 1]?.call}): ${problem}`));
      }

      expect(calls).toBeLessThan(MAX_CALLS);
      expect(problems).toEqual([]);
    },
  );

  it('D23 never syncs the same handle twice after a sync that failed', async () => {
    const { bench, disk } = await start();
    const { io, calls } = faultyIo(disk.io, failOn(['fsyncSync'], 'EIO'));

    await outcomeOf(() => bench.capture(io, { turn: 'failing', text: 'failing' }));

    const synced = calls.filter(({ call }) => call === 'fsyncSync').map(({ args }) => args[0]);
    expect(synced.length).toBeGreaterThan(0);
    expect(new Set(synced).size).toBe(synced.length);
  });

  it('D22 is made up for when a write takes less than it was given', async () => {
    const { bench, disk, acknowledged } = await start();
    const { io } = faultyIo(disk.io, ({ call, args }) => {
      const [fd, bytes, offset, length] = args as [number, Uint8Array | string, number?, number?];
      if (call !== 'writeSync' || typeof bytes === 'string' || (length ?? bytes.length) < 2) return undefined;
      const half = Math.ceil((length ?? bytes.length) / 2);
      return { answer: disk.io.writeSync(fd, bytes, offset ?? 0, half, args[4] as number | undefined) };
    });

    const result = bench.refresh(io, { turn: 'short', text: 'short writes everywhere\n' });
    await bench.drain(io);

    expect(result.status).toBe('enqueued');
    expect(chainProblems(bench, disk.io, acknowledged)).toEqual([]);
    expect(receiptProblems(bench, disk.io)).toEqual([]);
  });

  it.each(['EXDEV', 'EPERM', 'ENOSYS'])('D27 D28 of link with %s is an error, never a copy', async (code) => {
    const { bench, disk, acknowledged } = await start();
    const { io, calls } = faultyIo(disk.io, failOn(['linkSync'], code));

    const outcome = await outcomeOf(() => bench.capture(io, { turn: 'unlinked', text: 'unlinked' }));

    expect(outcome).toEqual({ code });
    expect(calls.filter(({ call }) => call === 'renameSync')).toEqual([]);
    expect(bench.chain(disk.io).length).toBe(acknowledged.length);
  });

  it('D21 of everything that makes a file stops neither the journal nor the count of attempts', async () => {
    const { bench, disk } = await start();
    await bench.drain(disk.io, { max: 1 });
    const { io } = faultyIo(disk.io, ({ call, args }) => {
      const isNew = call === 'openSync' && String(args[0]).includes('/tmp/');
      if (isNew) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      return undefined;
    });
    const judged: string[] = [];

    const outcome = await outcomeOf(() => bench.drain(io, { evaluate: (id) => void judged.push(id) }));
    const { processed } = await bench.drain(disk.io, { evaluate: (id) => void judged.push(id) });

    expect(outcome).toEqual({ code: 'ENOSPC' });
    expect(processed.map(({ sequence }) => sequence)).toEqual([2]);
    expect(judged.length).toBe(1);
    expect(receiptProblems(bench, disk.io)).toEqual([]);
  });
});
