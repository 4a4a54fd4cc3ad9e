import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, readSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  eventually,
  makePipe,
  plainEnv,
  prepare,
  type Situation,
  sh,
  tell,
  textOf,
} from '../support/wrapped.ts';

const dir = mkdtempSync(join(tmpdir(), 'drift-output-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Sizes at which a buffer is just full, or just not, and larger ones. */
const sizes = [5, 65_536, 65_537, 200_000, 1 << 20, 3 << 20];
const rounds = Array.from({ length: 36 }, (_, i) => ({
  size: sizes[i % sizes.length] ?? 0,
  ending: i % 2 === 0 ? 'exit 0' : 'kill -TERM $$',
}));
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(['idle', 'loopx'] as const)('stdout of a wrapped command, situation %s', (name) => {
  let situation: Situation;
  beforeAll(async () => {
    situation = await prepare(name, dir);
  });
  const bash = (script: string, command: readonly string[]) =>
    tell(['bash', '--norc', '-c', script, 'bash', ...situation.wrap(command)]);

  it('arrives whole when the command leaves or dies at once, 36 times', async () => {
    const lost: unknown[] = [];
    for (let i = 0; i < rounds.length; i += 3) {
      const three = rounds.slice(i, i + 3).map(async ({ size, ending }) => {
        const { out, signal } = await tell(situation.wrap(sh(`head -c ${size} /dev/zero; ${ending}`)));
        if (out.length !== size || (signal === null) !== (ending === 'exit 0'))
          lost.push({ size, ending, got: out.length, signal });
      });
      await Promise.all(three);
    }

    expect(lost).toEqual([]);
  });

  it('arrives whole at a reader that takes its time', async () => {
    const told = await bash(
      '"$@" | (sleep .3; while head -c 40000 | grep -q .; do sleep .01; done; echo read) 2>/dev/null; echo "$PIPESTATUS"',
      sh('head -c 1000000 /dev/zero | tr "\\0" x; exit 5'),
    );

    expect(told.out.toString()).toMatch(/5\n$/);
  });

  it('ends the command by SIGPIPE when its reader has gone', async () => {
    const told = await bash('"$@" | head -1; echo "$PIPESTATUS"', sh('exec yes'));

    expect([told.out.toString(), told.err]).toEqual(['y\n141\n', '']);
  });

  it('passes bytes on while the command still runs', async () => {
    const pipe = makePipe();
    const command = situation.wrap(sh('echo early; sleep 20'));
    const child = spawn(command[0] ?? '', command.slice(1), {
      stdio: ['ignore', pipe.writeEnd, 'ignore'],
      env: plainEnv,
      detached: true,
    });
    closeSync(pipe.writeEnd);

    const early = await eventually(() => readSome(pipe.readEnd), 'the first line arrives');
    child.kill('SIGTERM');
    closeSync(pipe.readEnd);

    expect(early).toBe('early\n');
  });

  it('ends for the caller when the command closes it, not when the command ends', async () => {
    const start = Date.now();

    const told = await bash(
      '"$@" | { cat; echo "end of file"; }',
      sh('echo out; exec >&-; sleep 3 2>/dev/null'),
    );
    const spent = Date.now() - start;

    expect(told.out.toString()).toBe('out\nend of file\n');
    expect(spent).toBeGreaterThan(2_500);
  });

  it('does not keep the wrapper waiting for a grandchild, whose output still arrives', async () => {
    const start = Date.now();
    let leftAfter = 0;

    const told = await tell(situation.wrap(sh('(sleep 3; echo late) & echo early; exit 3')), {
      onStart: (child) =>
        child.on('exit', () => {
          leftAfter = Date.now() - start;
        }),
    });

    expect([told.code, told.out.toString()]).toEqual([3, 'early\nlate\n']);
    expect(leftAfter).toBeLessThan(2_900);
  });

  it('lets the command go no further ahead of an idle reader than 512 KiB', async () => {
    const file = join(dir, `${name}-ahead`);
    const script = 'n=0; while [ $n -lt 1600 ]; do head -c 16384 /dev/zero; n=$((n+16)); echo $n >"$1"; done';
    const pipe = makePipe();
    const command = situation.wrap(sh(script, file));
    const child = spawn(command[0] ?? '', command.slice(1), {
      stdio: ['ignore', pipe.writeEnd, 'ignore'],
      env: plainEnv,
      detached: true,
    });
    await eventually(() => textOf(file), 'the command writes');

    const ahead = await standingStill(() => Number(textOf(file)));
    child.kill('SIGKILL');
    closeSync(pipe.writeEnd);
    closeSync(pipe.readEnd);

    expect(ahead).toBeLessThanOrEqual(512);
  });

  it('leaves the flags of a shared pipe alone, during the run and after it', async () => {
    const flags = 'sed -n "s/^flags:[[:space:]]*//p" /proc/self/fdinfo/2';

    const told = await tell(
      ['bash', '--norc', '-c', `"$@"; ${flags}`, 'bash', ...situation.wrap(sh(`sleep .3; ${flags}`))],
      { merge: true },
    );

    expect(told.out.toString()).toBe('0100001\n0100001\n');
  });

  it('is a socket where the caller gave one, with the same bytes', async () => {
    const { received, ended } = await onSocket(
      situation.wrap(sh('stat -Lc %F /dev/fd/1; head -c 300000 /dev/zero; exit 3')),
    );

    expect([received.subarray(0, 7).toString(), received.length, ended]).toEqual(['socket\n', 300_007, 3]);
  });
});

function readSome(descriptor: number): string | null {
  const buffer = Buffer.alloc(100);
  try {
    return buffer.subarray(0, readSync(descriptor, buffer)).toString() || null;
  } catch {
    return null;
  }
}

/** The value that `look` gives when it has not changed for a while. */
async function standingStill(look: () => number): Promise<number> {
  for (let last = -1; ; ) {
    const now = look();
    if (now === last) return now;
    last = now;
    await wait(700);
  }
}

/** Runs a command whose stdout is one end of a socket, as hosts written in Node give it. */
function onSocket(argv: readonly string[]): Promise<{ received: Buffer; ended: number | null }> {
  return new Promise((resolve, reject) => {
    const server = createServer((host: Socket) => {
      const chunks: Buffer[] = [];
      let ended: number | null = null;
      host.on('data', (chunk: Buffer) => chunks.push(chunk));
      host.on('end', () => {
        server.close();
        resolve({ received: Buffer.concat(chunks), ended });
      });
      client.pause();
      const child = spawn(argv[0] ?? '', argv.slice(1), {
        stdio: ['ignore', client, 'ignore'],
        env: plainEnv,
        detached: true,
      });
      child.on('exit', (code) => {
        ended = code;
        client.destroy();
      });
    });
    server.on('error', reject).listen(join(dir, `s${Math.random()}`));
    const client = connect(server.address() as string);
    client.on('error', reject);
  });
}
