import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, plainEnv, prepare, type Situation, sh, tell, textOf } from '../support/wrapped.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/limits.md', import.meta.url)), 'utf8');
const dir = mkdtempSync(join(tmpdir(), 'drift-limits-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** A limit that is pinned here stands on the page in these words. */
const listed = (words: string): void => expect(page.replace(/\s+/g, ' ')).toContain(words);

describe('a limit of the wrapper', () => {
  let plain: Situation;
  let loopx: Situation;
  beforeAll(async () => {
    plain = await prepare('idle', dir);
    loopx = await prepare('loopx', dir);
  });
  const ready = (file: string) => eventually(() => textOf(file).includes('ready'), 'the command is ready');
  const bash = (script: string, command: readonly string[]) =>
    tell(['bash', '--norc', '-c', script, 'bash', ...command]);

  it('is a death by a real-time signal, which the caller sees as exit 0', async () => {
    listed('Death by a real-time signal');

    expect(await tell(plain.wrap(sh('kill -34 $$; sleep 5')))).toMatchObject({ code: 0, signal: null });
  });

  it('is none of these where nobody observes', async () => {
    listed('Where no observer can be meant, nothing stands in front of the command');
    const { wrap } = await prepare('none', dir);

    expect((await bash('"$@"; exit $?', wrap(sh('kill -34 $$; sleep 5')))).code).toBe(128 + 34);
  });

  it('is a signal to the whole group without a terminal, which arrives twice', async () => {
    listed('A signal sent to the process group');
    const file = join(dir, 'group');
    const script =
      'trap "echo heard" TERM; echo ready >"$1"; i=0; while [ $i -lt 20 ]; do i=$((i+1)); sleep .05; done';

    const told = await tell(plain.wrap(sh(script, file)), {
      onStart: (child) => void ready(file).then(() => process.kill(-(child.pid ?? 0), 'SIGTERM')),
    });

    expect(told.out.toString()).toMatch(/^(heard\n){1,2}$/);
  });

  it('is SIGUSR1 within the start of Node, which runs the command or ends it', async () => {
    listed('`SIGUSR1` while Node starts');

    const told = await tell(plain.wrap(sh('sleep .3; echo done')), {
      onStart: (child) => setTimeout(() => child.kill('SIGUSR1'), 30),
    });

    expect([told.signal, told.out.toString()]).toSatisfy(
      ([signal, out]: [string | null, string]) =>
        signal === 'SIGUSR1' || (signal === null && out === 'done\n'),
    );
  });

  it.each(['SIGSEGV', 'SIGTRAP'] as const)(
    'is %s to the wrapper, which ends it and the command',
    async (signal) => {
      listed('Signals that a fault raises');
      const file = join(dir, signal);

      const told = await tell(plain.wrap(sh('trap "" SEGV TRAP; echo ready >"$1"; exec sleep 20', file)), {
        onStart: (child) => void ready(file).then(() => child.kill(signal)),
      });

      expect(told.signal).toBe(signal);
    },
  );

  it('is SIGPIPE to the wrapper, which nobody gets', async () => {
    listed('`SIGPIPE` sent to the wrapper');
    const file = join(dir, 'pipe');

    const told = await tell(plain.wrap(sh('echo ready >"$1"; sleep .5; exit 4', file)), {
      onStart: (child) => void ready(file).then(() => child.kill('SIGPIPE')),
    });

    expect(told).toMatchObject({ code: 4, signal: null });
  });

  it('is SIGSTOP to the wrapper, which stops it alone', async () => {
    listed('`SIGSTOP` sent to the wrapper');
    const [file, done] = [join(dir, 'stop'), join(dir, 'stop-done')];

    const told = await tell(
      plain.wrap(sh('echo ready >"$1"; sleep .3; echo done >"$2"; exit 4', file, done)),
      {
        onStart: (child) =>
          void ready(file)
            .then(() => child.kill('SIGSTOP'))
            .then(() => eventually(() => textOf(done), 'the command ends meanwhile'))
            .then(() => child.kill('SIGCONT')),
      },
    );

    expect(told.code).toBe(4);
  });

  it('is a blocked real-time signal, which is not blocked in the command', async () => {
    listed('Blocked real-time signals');
    const blocked = (command: readonly string[]) => bash('env --block-signal=RTMIN+6,USR2 "$@"', command);
    const command = ['grep', 'SigBlk', '/proc/self/status'];

    const [bare, wrapped] = [await blocked(command), await blocked(plain.wrap(command))];

    expect(bare.out.toString()).toMatch(/[0-9a-f]{6}8000000800\n$/);
    expect(wrapped.out.toString()).toBe('SigBlk:\t0000000000000800\n');
  });

  it.runIf(realpathSync('/bin/sh').endsWith('/dash'))(
    'is an ignored SIGCHLD, which dash resets',
    async () => {
      listed('An ignored `SIGCHLD`');

      const told = await bash('trap "" CHLD HUP; "$@"', plain.wrap(['grep', 'SigIgn', '/proc/self/status']));

      expect(told.out.toString()).toBe('SigIgn:\t0000000000000001\n');
    },
  );

  it('is an environment of more than 96 KiB, which loses names that are no identifiers', async () => {
    listed('names that are no identifiers');
    const large = 'export LARGE="$(head -c 100000 /dev/zero | tr "\\0" x)"; exec env A-B=1 "$@"';
    const names = (out: Buffer): string[] =>
      out
        .toString()
        .split('\n')
        .filter((line) => /^(A-B|LARGE)=/.test(line));

    const told = await bash(large, plain.wrap(['env']));

    expect(names(told.out).map((line) => line.length)).toEqual([100_006]);
  });

  it('is that a closed reader is not noticed before the command writes, where stdout is read', async () => {
    listed('A reader that has gone');

    const told = await bash('"$@" | true; echo "$PIPESTATUS"', loopx.wrap(sh('sleep .5; echo x; exit 3')));

    expect(told.out.toString()).toMatch(/^(3|141)\n$/);
  });

  it('is the core file of the wrapper, which there is none of', async () => {
    listed('core');

    const told = await bash(
      'ulimit -Sc "$(ulimit -Hc)"; "$@"',
      plain.wrap(sh('grep "core file" /proc/$PPID/limits')),
    );

    expect(told.out.toString()).toMatch(/^Max core file size +0 /);
  });

  it('is a signal typed by somebody else while the command has the terminal', () => {
    listed('`SIGINT` or `SIGQUIT` sent by `kill` to a wrapper in the foreground of a terminal');
    const helper = fileURLToPath(new URL('on-terminal.py', import.meta.url));
    const command = plain.wrap(sh('trap "echo heard" INT; kill -INT $PPID; sleep .5; echo end; exit 3'));

    const { stdout, error } = spawnSync('python3', [helper, JSON.stringify({ command })], { env: plainEnv });
    if (error) {
      console.error('NOT RUN: needs python3 with its pty module');
      return;
    }

    expect(JSON.parse(stdout.toString())).toEqual({ output: 'end\r\n', status: 3 });
  });

  it('is a wrapper killed on a terminal, which its command outlives', () => {
    listed('On a terminal');
    const helper = fileURLToPath(new URL('on-terminal.py', import.meta.url));
    const command = [
      'bash',
      '--norc',
      '-c',
      '"$@"; sleep 1',
      'bash',
      ...plain.wrap(sh('kill -KILL $PPID; sleep .3; echo alive')),
    ];

    const { stdout, error } = spawnSync('python3', [helper, JSON.stringify({ command })], { env: plainEnv });
    if (error) {
      console.error('NOT RUN: needs python3 with its pty module');
      return;
    }

    expect(JSON.parse(stdout.toString()).output).toContain('alive');
  });
});
