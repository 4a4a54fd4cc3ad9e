import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readReceipts } from '../../src/receipts/read-receipts.ts';
import { type Json, receipt, sha } from '../support/history.ts';
import { temporaryFolder } from '../support/rig.ts';

const idOf = (n: number): string => sha(`event ${n}`);
const put = (folder: string, ...receipts: Json[]): void => {
  for (const each of receipts) writeFileSync(join(folder, `${each['event_id']}.json`), JSON.stringify(each));
};
const read = (folder: string, wanted: string[] = [], captured: ReadonlySet<string> = new Set()) =>
  readReceipts({ folder, goalId: 'harbour', wanted, shared: true, captured: () => captured });
const numbers = (store: ReturnType<typeof read>) => store.receipts.map(({ sequence }) => sequence);

describe('the receipt store', () => {
  it('gives receipts newest first by the instant of the run', () => {
    const folder = temporaryFolder();
    const east = { run: { generated_at: '2026-10-05T11:01:30+02:00' } };
    put(folder, receipt(1), receipt(2), receipt(3, 'drift', east));
    expect(numbers(read(folder))).toEqual([2, 3, 1]);
  });

  it.each([
    ['json_invalid', '{"schema_version":'],
    ['json_invalid', '{"a":1,"a":1}'],
    ['json_invalid', Buffer.from([0x7b, 0xff, 0x7d])],
    ['json_invalid', '{"sequence":NaN}'],
    ['file_too_large', ' '.repeat(65_537)],
    ['not_an_object', '[]'],
    ['unknown_version', JSON.stringify(receipt(1, 'drift', { schema_version: 'v9' }))],
    [
      'signal_disagrees',
      JSON.stringify(receipt(1, 'drift', { drift_signal: { noul: false, choice: true } })),
    ],
    ['goal_mismatch', JSON.stringify(receipt(1, 'drift', { goal_id: 'other' }))],
    ['event_mismatch', JSON.stringify(receipt(2))],
  ])('rejects a file by its own reason: %s', (reason, content) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, `${idOf(1)}.json`), content);
    expect(read(folder)).toMatchObject({
      read_state: 'missing',
      receipts: [],
      rejected: [{ file: join(folder, `${idOf(1)}.json`), reason }],
    });
  });

  it('follows no link and opens no folder', () => {
    const folder = temporaryFolder();
    put(folder, receipt(1));
    symlinkSync(join(folder, `${idOf(1)}.json`), join(folder, `${idOf(2)}.json`));
    mkdirSync(join(folder, `${idOf(3)}.json`));
    const { receipts, rejected } = read(folder);
    expect(receipts).toHaveLength(1);
    expect(rejected.map(({ reason }) => reason)).toEqual(['file_not_regular', 'file_not_regular']);
  });

  it('never says missing when it could not look', () => {
    const folder = temporaryFolder();
    expect(read(join(folder, 'none')).read_state).toBe('missing');
    writeFileSync(join(folder, 'file'), '');
    expect(read(join(folder, 'file')).read_state).toBe('unavailable');
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o000 });
    if (process.geteuid?.() !== 0) expect(read(closed).read_state).toBe('unavailable');
    chmodSync(closed, 0o700);
  });

  it('keeps the newest 256 strangers after sorting, and every wanted one whatever its age', () => {
    const folder = temporaryFolder();
    const time = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
    const all = Array.from({ length: 300 }, (_, n) =>
      receipt(n, 'drift', { run: { generated_at: time(n) } }),
    );
    put(folder, ...all);
    const kept = numbers(read(folder, [idOf(0), idOf(1)]));
    expect(kept).toHaveLength(258);
    expect(kept.slice(-3)).toEqual([44, 1, 0]);
  });

  it('does not read what this machine captured itself and nobody wants', () => {
    const folder = temporaryFolder();
    const all = Array.from({ length: 300 }, (_, n) => receipt(n));
    put(folder, ...all);
    const captured = new Set(all.slice(0, 299).map((each) => String(each['event_id'])));
    expect(numbers(read(folder, [idOf(7)], captured)).sort()).toEqual([299, 7]);
    const own = { folder, goalId: 'harbour', wanted: [idOf(7)], shared: false, captured: () => captured };
    expect(numbers(readReceipts(own)).sort()).toEqual([299, 7]);
  });

  it('finds what is wanted in a folder of its own, however full it is', () => {
    const folder = temporaryFolder();
    for (let n = 0; n < 1_500; n += 1) writeFileSync(join(folder, `${sha(`filler ${n}`)}.json`), '');
    put(folder, receipt(1), receipt(2));
    const captured = () => new Set(Array.from({ length: 1_500 }, (_, n) => sha(`filler ${n}`)));
    const query = { folder, goalId: 'harbour', wanted: [idOf(1), idOf(2)], shared: false, captured };
    expect(numbers(readReceipts(query))).toEqual([2, 1]);
  });
});
