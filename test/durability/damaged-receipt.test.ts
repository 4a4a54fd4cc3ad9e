import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDetour } from '../../src/receipts/find-detour.ts';
import { nodeIo } from '../../src/spool/spool-io.ts';
import { namesIn, type SpoolBench } from '../support/spool-bench.ts';
import { start } from './damaged-state.ts';
import { receiptProblems } from './invariants.ts';

describe('D34 D35 a receipt that is already there', () => {
  const receiptOf = (bench: SpoolBench, sequence: number): string => {
    const { event_id } = bench.chain(nodeIo)[sequence] ?? { event_id: '' };
    return join(bench.goal.receipts, `${event_id}.json`);
  };

  it('with other bytes stops the drain and is left as it is; moved away, the work goes on', async () => {
    const bench = start(3);
    const file = receiptOf(bench, 2);
    const forged = readFileSync(file, 'utf8')
      .replace('"not_evaluated"', '"abstained"')
      .replace('"pending_evaluation"', '"structural_unproven"');
    writeFileSync(file, forged);
    let judged = 0;
    const evaluate = (): void => {
      judged += 1;
    };

    const first = await bench.drain(nodeIo, { evaluate });
    const second = await bench.drain(nodeIo, { evaluate });
    const kept = readFileSync(file, 'utf8');
    renameSync(file, join(bench.folder, 'kept.json'));
    const third = await bench.drain(nodeIo, { evaluate });

    expect([first.ended, second.ended]).toEqual([
      { why: 'conflict', file },
      { why: 'conflict', file },
    ]);
    expect(kept).toBe(forged);
    expect(first.processed.map(({ sequence }) => sequence)).toEqual([1]);
    expect(third.ended).toBeNull();
    expect(judged).toBe(3);
    expect(receiptProblems(bench, nodeIo)).toEqual([]);
  });

  it.each([
    ['of another kind of document', (file: string) => writeFileSync(file, '{"schema_version":"nonsense"}')],
    [
      'as a link',
      (file: string) => {
        unlinkSync(file);
        symlinkSync('/etc/hostname', file);
      },
    ],
    [
      'as a folder',
      (file: string) => {
        unlinkSync(file);
        mkdirSync(file);
      },
    ],
  ])('%s is left as it is and named', async (_name, put) => {
    const bench = start(2);
    const file = receiptOf(bench, 1);
    put(file);

    expect((await bench.drain(nodeIo)).ended).toEqual({ why: 'conflict', file });
  });

  it.each([
    ['empty', ''],
    ['zeros', '\0'.repeat(900)],
    ['the first half', null],
  ])('as a power cut leaves it (%s) is made whole', async (_name, bytes) => {
    const bench = start(3);
    const file = receiptOf(bench, 2);
    writeFileSync(file, bytes ?? readFileSync(file).subarray(0, 400));

    await bench.drain(nodeIo);

    expect(receiptProblems(bench, nodeIo)).toEqual([]);
  });

  it('is published again with the same bytes when its reader takes it away while drain runs', async () => {
    const bench = start(6);
    const seen = new Map<string, Set<string>>();
    const take = (): void => {
      for (const name of namesIn(nodeIo, bench.goal.receipts)) {
        const file = join(bench.goal.receipts, name);
        const text = readFileSync(file, 'utf8');
        if (text.includes('pending_evaluation')) continue;
        seen.set(name, (seen.get(name) ?? new Set()).add(text));
        unlinkSync(file);
      }
    };
    for (let n = 0; n < 3; n += 1) {
      await bench.drain(nodeIo, { max: 2, evaluate: take });
      take();
    }

    expect(seen.size).toBe(6);
    expect([...seen.values()].filter((texts) => texts.size > 1)).toEqual([]);
  });
});

describe('D36 the runtime', () => {
  it('is made again where it is missing', async () => {
    const bench = start(2);
    rmSync(bench.goal.goal, { recursive: true });

    await bench.drain(nodeIo);

    expect(receiptProblems(bench, nodeIo)).toEqual([]);
    expect(statSync(bench.goal.receipts).mode & 0o777).toBe(0o700);
  });

  it.each(['goal', 'review', 'receipts', 'staging'] as const)(
    'with a link in place of %s is a detour',
    (part) => {
      const bench = start(2);
      const elsewhere = join(bench.folder, 'elsewhere');
      renameSync(bench.goal[part], elsewhere);
      symlinkSync(elsewhere, bench.goal[part]);

      expect(findDetour(bench.goal)).toBe(bench.goal[part]);
    },
  );

  it('with a file in place of the root is one too', () => {
    const bench = start(1);
    const root = join(bench.folder, 'runtime');
    rmSync(root, { recursive: true });
    writeFileSync(root, '');

    expect(findDetour(bench.goal)).toBe(root);
  });
});
