import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const page = readFileSync(join(root, 'docs', 'faults.md'), 'utf8');
const rows = [...page.matchAll(/^\| (D\d+) \|/gm)].map(([, row]) => row ?? '');
const titles = ['durability', 'bin']
  .flatMap((room) => readdirSync(join(root, 'test', room)).map((name) => join(root, 'test', room, name)))
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/['"`]((?:D\d+ )+)/g)])
  .flatMap(([, numbers = '']) => numbers.trim().split(' '));

describe('the list of faults', () => {
  it('has a test for every row, and no test for a row that it does not have', () => {
    expect(rows).toEqual(Array.from({ length: 41 }, (_, n) => `D${n + 1}`));
    expect([...new Set(titles)].sort()).toEqual([...rows].sort());
  });
});
