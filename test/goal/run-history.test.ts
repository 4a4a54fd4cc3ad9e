import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRunHistory } from '../../src/goal/run-history.ts';
import { type Json, row } from '../support/history.ts';
import { temporaryFolder } from '../support/rig.ts';

const indexed = (n: number, extra: Json = {}): Json => row(n, { json_path: `/runs/${n}.json`, ...extra });
const lines = (...rows: (Json | string)[]): string =>
  rows.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join('');

function indexOf(text: string): string {
  const file = join(temporaryFolder(), 'index.jsonl');
  writeFileSync(file, text);
  return file;
}
const turnsOf = (file: string, limit?: number) =>
  readRunHistory(file, 'harbour', limit).rows.map((each) => each['turn_instance_id']);

describe('the run history', () => {
  it('is newest first by instant, later lines of one instant first', () => {
    const east = indexed(9, { generated_at: '2026-10-05T11:01:30+02:00' });
    const same = indexed(8, { generated_at: indexed(2)['generated_at'] });
    const file = indexOf(lines(indexed(1), indexed(2), same, east));
    expect(turnsOf(file)).toEqual(['t-8', 't-2', 't-9', 't-1']);
  });

  it('puts a row whose time cannot be read behind every other', () => {
    expect(turnsOf(indexOf(lines(indexed(1), indexed(2, { generated_at: 'zzz' }))))).toEqual(['t-1', 't-2']);
  });

  it('merges lines of one run into the place of the first, later keys winning', () => {
    const later = {
      generated_at: indexed(1)['generated_at'],
      json_path: '/runs/1.json',
      classification: 'later',
      x: 1,
    };
    const { rows } = readRunHistory(indexOf(lines(indexed(1), indexed(2), later)), 'harbour');
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({ turn_instance_id: 't-1', classification: 'later', x: 1 });
  });

  it('keeps two runs of one second apart', () => {
    const twin = indexed(1, { json_path: '/runs/1-2.json', turn_instance_id: 't-1b' });
    expect(turnsOf(indexOf(lines(indexed(1), twin)))).toEqual(['t-1b', 't-1']);
  });

  it('skips and counts what is no JSON object, a line that was cut off included', () => {
    const file = indexOf(lines(indexed(1), 'no json', '[1]', '{"a":1,"a":2}'));
    appendFileSync(file, '{"generated_at":"2026');
    expect(readRunHistory(file, 'harbour')).toMatchObject({ read_state: 'observed', skipped_lines: 4 });
    expect(turnsOf(file)).toEqual(['t-1']);
  });

  it('reads a file without a last line end, and text beyond ASCII across blocks', () => {
    const note = '港'.repeat(40_000);
    const file = indexOf(lines(indexed(1, { note }), indexed(2, { note })).trimEnd());
    const { rows } = readRunHistory(file, 'harbour');
    expect(rows.map(({ note: read }) => read === note)).toEqual([true, true]);
  });

  it('looks at its window only, however long the history is', () => {
    const many = Array.from({ length: 3_000 }, (_, n) =>
      indexed(n, { generated_at: at(n), note: 'x'.repeat(500) }),
    );
    const file = indexOf(lines(...many));
    const { rows, truncated } = readRunHistory(file, 'harbour');
    expect(rows).toHaveLength(1_000);
    expect(rows[0]?.['turn_instance_id']).toBe('t-2999');
    expect(rows.at(-1)?.['turn_instance_id']).toBe('t-2000');
    expect(truncated).toBe(true);
    expect(turnsOf(file, 2)).toEqual(['t-2999', 't-2998']);
  });

  it('tells a history that is not there from one that cannot be read', () => {
    const folder = temporaryFolder();
    expect(readRunHistory(join(folder, 'none', 'index.jsonl'), 'harbour').read_state).toBe('missing');
    mkdirSync(join(folder, 'index.jsonl'));
    expect(readRunHistory(join(folder, 'index.jsonl'), 'harbour').read_state).toBe('unavailable');
    symlinkSync(indexOf(lines(indexed(1))), join(folder, 'link.jsonl'));
    expect(readRunHistory(join(folder, 'link.jsonl'), 'harbour').read_state).toBe('unavailable');
  });

  it('names the goal of a row that does not', () => {
    const { rows } = readRunHistory(indexOf(lines(indexed(1), indexed(2, { goal_id: 'other' }))), 'harbour');
    expect(rows.map((each) => each['goal_id'])).toEqual(['other', 'harbour']);
  });
});

const at = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
