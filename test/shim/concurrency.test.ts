import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { prepare, sh, tell } from '../support/wrapped.ts';

const dir = mkdtempSync(join(tmpdir(), 'drift-many-'));
afterAll(() => rmSync(dir, { recursive: true }));

describe('many wrappers', () => {
  it('run 200 at once, and each caller sees its own command', { timeout: 240_000 }, async () => {
    const { wrap } = await prepare('loopx', dir);
    const commands = Array.from({ length: 200 }, (_, i) =>
      sh(`echo "out ${i}"; echo "err ${i}" >&2; exit ${i % 200}`),
    );

    const told = await Promise.all(commands.map((command) => tell(wrap(command))));

    const wrong = told.filter(
      ({ code, out, err }, i) => code !== i || out.toString() !== `out ${i}\n` || err !== `err ${i}\n`,
    );
    expect(wrong).toEqual([]);
  });

  it('stand one in the other six deep, and hand on every byte', async () => {
    const { wrap } = await prepare('idle', dir);
    let command: string[] = sh('head -c 500000 /dev/zero; echo err >&2; exit 6');
    for (let depth = 0; depth < 6; depth += 1) command = wrap(command);

    const told = await tell(command);

    expect([told.code, told.out.length, told.err]).toEqual([6, 500_000, 'err\n']);
  });
});
