import { readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readCursor } from '../../src/spool/cursor.ts';
import { textsNamedBy } from '../../src/spool/drop-texts.ts';
import { readEvent, readText } from '../../src/spool/read-event.ts';
import { readRetention, retainTexts } from '../../src/spool/retention.ts';
import { nodeIo, type SpoolIo } from '../../src/spool/spool-io.ts';
import { stateLayout } from '../../src/spool/state-layout.ts';
import { Crash, crashAt, faultyIo, noFault } from '../support/faulty-io.ts';
import { diskWith, type ModelFs, powerCuts } from '../support/model-fs.ts';
import { filesBelow, makeRig, type Rig, temporaryFolder } from '../support/rig.ts';
import { makeSpoolBench, type SpoolBench } from '../support/spool-bench.ts';
import { chainProblems, receiptProblems } from './invariants.ts';

const DAY_MS = 86_400_000;
const RETAIN_MS = 30 * DAY_MS;

/** Five old turns, judged, then two young ones, of which one waits. */
async function start(): Promise<{ bench: SpoolBench; disk: ModelFs }> {
  const bench = makeSpoolBench(temporaryFolder());
  const disk = diskWith(bench.state);
  bench.prepare(disk.io);
  for (let n = 0; n <= 5; n += 1)
    bench.refresh(disk.io, { turn: n === 0 ? null : `t${n}`, text: `old ${n}\n` });
  disk.clock += 61 * DAY_MS;
  bench.refresh(disk.io, { turn: 'young', text: 'young\n' });
  await bench.drain(disk.io);
  bench.refresh(disk.io, { turn: 'waits', text: 'waits\n' });
  disk.settle();
  return { bench, disk };
}

const retain = (io: SpoolIo, bench: SpoolBench, labelled: readonly string[] = []): number =>
  retainTexts(io, bench.layout, {
    finishedThrough: readCursor(io, bench.layout) ?? -1,
    retainMs: RETAIN_MS,
    isLabelled: (id) => labelled.includes(id),
  });

/** The entries whose own text is still there, whole. */
function entriesWithText(bench: SpoolBench, io: SpoolIo): number[] {
  return bench.chain(io).flatMap(({ sequence, files }) => {
    const [file] = files;
    if (file?.text?.sequence !== sequence || !file.sha256) return [];
    const text = { place: file.text, size: file.stat?.size ?? 0, sha256: file.sha256 };
    return readText(io, bench.layout, text) === null ? [] : [sequence];
  });
}

describe('D3 retention, stopped before any one of its calls', () => {
  it.each([null, ...powerCuts])('keeps every head, number and text that is due to stay (%o)', async (cut) => {
    const { bench, disk: first } = await start();
    const counting = faultyIo(first.copy().io, noFault);
    retain(counting.io, bench);
    const problems: string[] = [];

    for (let k = 1; k <= counting.calls.length + 1; k += 1) {
      const disk = first.copy();
      try {
        retain(faultyIo(disk.io, crashAt(k)).io, bench);
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
      }
      disk.end(cut);
      const next = bench.refresh(disk.io, { turn: 'next', text: 'next\n' });
      if (next.status !== 'enqueued' || next.event.sequence !== 8)
        problems.push(`call ${k}: a number is used twice`);
      retain(disk.io, bench);
      await bench.drain(disk.io);
      const found = [...chainProblems(bench, disk.io, []), ...receiptProblems(bench, disk.io)];
      if (entriesWithText(bench, disk.io).join() !== '6,7,8') found.push('other texts are left');
      problems.push(...found.map((problem) => `call ${k}: ${problem}`));
    }

    expect(counting.calls.length).toBeGreaterThan(40);
    expect(problems).toEqual([]);
  });
});

describe('retention', () => {
  it('drops the text of a labelled event before that of others, and no event is looked at twice', async () => {
    const { bench, disk } = await start();
    const [, one, , three] = bench.chain(disk.io);
    disk.clock -= 16 * DAY_MS;

    retain(disk.io, bench, [one?.event_id ?? '', three?.event_id ?? '']);
    const after = entriesWithText(bench, disk.io);
    const again = faultyIo(disk.io, noFault);
    retain(again.io, bench);

    expect(after).toEqual([0, 2, 4, 5, 6, 7]);
    expect(readRetention(disk.io, bench.layout)).toMatchObject({
      through: -1,
      labelled_through: 5,
      held: [],
    });
    expect(again.calls.filter(({ call }) => call === 'ftruncateSync')).toEqual([]);
  });

  it('is not held up by a text that was dropped before its time', async () => {
    const { bench, disk } = await start();
    const [, one] = bench.chain(disk.io);
    disk.clock -= 16 * DAY_MS;
    retain(disk.io, bench, [one?.event_id ?? '']);
    disk.clock += 16 * DAY_MS;

    retain(disk.io, bench);

    expect(entriesWithText(bench, disk.io)).toEqual([6, 7]);
  });

  it('keeps whatever the newest checkpoint names, however old, until it does not', async () => {
    const { bench, disk } = await start();
    await bench.drain(disk.io);
    disk.clock += 100 * DAY_MS;
    retain(disk.io, bench);
    const named = entriesWithText(bench, disk.io);
    bench.refresh(disk.io, { turn: 'later', text: 'later\n' });
    await bench.drain(disk.io);
    const judged = bench.receipts(disk.io).at(-1)?.reason;

    retain(disk.io, bench);

    expect([named, judged]).toEqual([[7], 'structural_unproven']);
    expect(entriesWithText(bench, disk.io)).toEqual([8]);
  });

  it('leaves what waits to be judged judgeable, and passes over damage and holes', async () => {
    const { bench, disk } = await start();
    disk.clock -= 61 * DAY_MS;
    disk.plant(bench.layout.event(2), 'damaged');
    disk.clock += 61 * DAY_MS;
    disk.io.unlinkSync(bench.layout.event(4));

    retain(disk.io, bench);
    const { processed } = await bench.drain(disk.io);

    expect(processed.map(({ reason }) => reason)).toEqual(['structural_unproven']);
    expect(disk.read(bench.layout.event(2)).length).toBe(0);
  });

  it('starts over where its marks are lost, and drops nothing that was not due', async () => {
    const { bench, disk } = await start();
    retain(disk.io, bench);
    disk.plant(bench.layout.floor, '{"schema_version":"other"}');

    retain(disk.io, bench);

    expect(entriesWithText(bench, disk.io)).toEqual([6, 7]);
    expect(readRetention(disk.io, bench.layout)?.through).toBe(5);
  });
});

describe('D21 a disk without room', () => {
  it('gets some by retention, which needs none to begin with', async () => {
    const { bench, disk } = await start();
    let hasRoom = false;
    const { io } = faultyIo(disk.io, ({ call }) => {
      if (call === 'ftruncateSync') hasRoom = true;
      if (call === 'writeSync' && !hasRoom) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      return undefined;
    });

    const bytes = retain(io, bench);

    expect(bytes).toBeGreaterThan(30);
    expect(entriesWithText(bench, disk.io)).toEqual([6, 7]);
    expect(readRetention(disk.io, bench.layout)).toMatchObject({ through: 5, held: [] });
  });
});

describe('D14 a clock that jumps ten years ahead', () => {
  afterEach(() => void vi.useRealTimers());

  it('makes no text old, because the filesystem says how old it is', async () => {
    const { bench, disk } = await start();
    disk.clock -= 61 * DAY_MS;
    vi.useFakeTimers({ now: Date.now() + 3_650 * DAY_MS, toFake: ['Date'] });

    retain(disk.io, bench);

    expect(entriesWithText(bench, disk.io)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

const age = (rig: Rig, days: number): void => {
  const at = Date.now() / 1_000 - days * 86_400;
  for (const { path } of filesBelow(join(rig.state, 'ev'))) utimesSync(path, at, at);
};
const entryOf = (rig: Rig, n: number): string =>
  join(rig.state, 'ev', '00000000', `${String(n).padStart(12, '0')}.json`);
const secret = 'a line that nobody should keep';

/** Two declared files; the first turn changes both, the others only the first. */
async function observedTurns(): Promise<Rig> {
  const rig = await makeRig({ files: { 'a.txt': 'one\n', 'b.txt': 'one\n' } });
  await rig.refresh(`echo "${secret}" > a.txt; echo two > b.txt`);
  for (const n of [3, 4]) await rig.refresh(`echo ${n} > a.txt`);
  await rig.drain();
  return rig;
}

const holdsSecret = (rig: Rig): boolean =>
  filesBelow(rig.dir).some(({ path }) => readFileSync(path, 'latin1').includes(secret));

describe('drift drain', () => {
  it('drops old texts and keeps labels, verdicts and receipts', async () => {
    const rig = await observedTurns();
    const [first] = rig.receipts();
    await rig.drift(['label', '--event-id', first?.event_id ?? '', '--truth', 'on_goal']);
    const before = [JSON.stringify(rig.receipts()), (await rig.status()).events];
    age(rig, 61);

    await rig.drain();
    const shown = JSON.parse((await rig.drift(['show', first?.event_id ?? '', '--json'])).out);
    const doctor = await rig.drift(['doctor', '--json']);

    expect([JSON.stringify(rig.receipts()), (await rig.status()).events]).toEqual(before);
    expect(holdsSecret(rig)).toBe(false);
    expect(shown).toMatchObject({ label: { truth: 'on_goal' }, status: 'abstained' });
    expect(shown.diffs[0]).toMatchObject({ path: 'a.txt', unavailable: 'text_not_retained' });
    expect([doctor.rc, JSON.parse(doctor.out).findings]).toEqual([0, []]);
  });

  it('goes on judging after it, against the text that the newest checkpoint names', async () => {
    const rig = await observedTurns();
    age(rig, 61);
    await rig.drain();

    await rig.refresh('echo 5 > a.txt; echo five > b.txt');
    const { processed } = await rig.drain();

    expect(processed).toEqual([
      expect.objectContaining({ status: 'abstained', reason: 'structural_unproven' }),
    ]);
  });

  it('leaves the texts of 29 days alone', async () => {
    const rig = await observedTurns();
    age(rig, 29);
    await rig.drain();

    expect(holdsSecret(rig)).toBe(true);
  });
});

describe('drift purge', () => {
  it('drops what an event says at once, and keeps what the next turn is compared with', async () => {
    const rig = await observedTurns();
    const [first] = rig.receipts();
    const size = statSync(entryOf(rig, 1)).size;

    const { rc, out } = await rig.drift(['purge', '--event', first?.event_id.slice(0, 12) ?? '', '--json']);
    const decoded = readEvent(nodeIo, stateLayout(rig.state), 1);

    expect(rc).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ status: 'purged', event_id: first?.event_id, kept: ['b.txt'] });
    expect(statSync(entryOf(rig, 1)).size).toBeLessThanOrEqual(size);
    expect(holdsSecret(rig)).toBe(false);
    expect(decoded?.ok && textsNamedBy(decoded.stored.event).size).toBe(2);
    expect((await rig.drift(['doctor'])).rc).toBe(0);
  });

  it('drops the rest with the first drain after the next turn has changed it', async () => {
    const rig = await observedTurns();
    const [first] = rig.receipts();
    await rig.drift(['purge', '--event', first?.event_id ?? '']);
    await rig.refresh('echo six > b.txt');
    await rig.drain();

    await rig.drain();

    const decoded = readEvent(nodeIo, stateLayout(rig.state), 1);
    expect(decoded?.ok && statSync(entryOf(rig, 1)).size).toBe(decoded?.ok && decoded.stored.contentAt);
  });

  it('waits for events that still have to be judged, and knows no event that is not there', async () => {
    const rig = await observedTurns();
    const [first] = rig.receipts();
    await rig.refresh('echo 7 > a.txt');

    const early = await rig.drift(['purge', '--event', first?.event_id ?? '', '--json']);
    const unknown = await rig.drift(['purge', '--event', 'f'.repeat(12), '--json']);

    expect([early.rc, JSON.parse(early.out).error.reason]).toEqual([2, 'event_not_judged']);
    expect([unknown.rc, JSON.parse(unknown.out).error.reason]).toEqual([2, 'event_not_found']);
    expect(holdsSecret(rig)).toBe(true);
  });
});
