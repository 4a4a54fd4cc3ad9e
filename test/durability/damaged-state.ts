import { readFileSync, writeFileSync } from 'node:fs';
import { nodeIo } from '../../src/spool/spool-io.ts';
import { temporaryFolder } from '../support/rig.ts';
import { makeSpoolBench, type SpoolBench } from '../support/spool-bench.ts';

/** A real state directory after a checkpoint and some turns. */
export function start(turns: number): SpoolBench {
  const bench = makeSpoolBench(temporaryFolder());
  bench.prepare(nodeIo);
  for (let n = 0; n <= turns; n += 1)
    bench.refresh(nodeIo, { turn: n === 0 ? null : `t${n}`, text: `text ${n}\n` });
  return bench;
}

/** Turns one bit of a file over. */
export const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
};

/** Drains, and gives back why each event has no verdict. */
export const reasonsOf = async (bench: SpoolBench): Promise<(string | null)[]> =>
  (await bench.drain(nodeIo)).processed.map(({ reason }) => reason);
