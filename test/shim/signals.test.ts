import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRunning } from '../support/is-running.ts';
import { eventually, prepare, type Situation, sh, tell, textOf } from '../support/wrapped.ts';

const dir = mkdtempSync(join(tmpdir(), 'drift-signals-'));
afterAll(() => rmSync(dir, { recursive: true }));

const heard: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGABRT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGSTKFLT',
  'SIGCONT',
  'SIGURG',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGVTALRM',
  'SIGPROF',
  'SIGWINCH',
  'SIGIO',
  'SIGPWR',
  'SIGSYS',
];

const freshFile = (): string => join(dir, randomUUID());

/** A command that notes each signal in the file `$1`, and leaves with 7 at SIGTERM. */
const listener = (file: string): string[] =>
  sh(
    `for n in ${heard.map((name) => constants.signals[name]).join(' ')}; do trap "echo $n >>$1" $n; done
     trap 'kill $!; exit 7' TERM; echo ready >>$1
     while :; do sleep 5 >/dev/null 2>&1 & wait $!; kill $! 2>/dev/null; done`,
    file,
  );

describe.each(['idle', 'loopx'] as const)('signals to the wrapper, situation %s', (name) => {
  let situation: Situation;
  beforeAll(async () => {
    situation = await prepare(name, dir);
  });

  /** Starts a command that says `ready` in its file, and does something to its wrapper then. */
  const when = async (
    command: (file: string) => readonly string[],
    act: (child: ChildProcess, file: string) => Promise<void> | void,
  ) => {
    const file = freshFile();
    let acted: Promise<void> = Promise.resolve();
    const told = await tell(situation.wrap(command(file)), {
      onStart: (child) => {
        acted = eventually(() => textOf(file).includes('ready'), 'the command is ready').then(() =>
          act(child, file),
        );
      },
    });
    await acted;
    return { ...told, out: told.out.toString(), said: textOf(file).split('\n').slice(1, -1) };
  };

  it('reach the command, each once, and end nothing else', async () => {
    const numbers = heard.map((signal) => String(constants.signals[signal]));

    const told = await when(listener, async (child, file) => {
      for (const [i, signal] of heard.entries()) {
        child.kill(signal);
        await eventually(() => textOf(file).includes(`\n${numbers[i]}\n`), `${signal} arrives`);
      }
      child.kill('SIGTERM');
    });

    expect(told).toEqual({ code: 7, signal: null, out: '', err: '', said: numbers });
  });

  it('that kill the command kill the wrapper in the same way', async () => {
    const told = await when(
      (file) => sh('echo ready >"$1"; exec sleep 20', file),
      (child) => void child.kill('SIGTERM'),
    );

    expect(told).toMatchObject({ code: null, signal: 'SIGTERM', err: '' });
  });

  it('leave the command the time that it takes to clean up', async () => {
    const slow = 'trap "sleep 1; echo clean; exit 4" INT; echo ready >"$1"; while :; do sleep .1; done';

    const told = await when(
      (file) => sh(slow, file),
      (child) => void child.kill('SIGINT'),
    );

    expect(told).toMatchObject({ code: 4, out: 'clean\n', err: '' });
  });

  it('stop the command, and the wrapper with it, until both are continued', async () => {
    const counting = 'echo ready >"$1"; i=0; while [ $i -lt 40 ]; do i=$((i+1)); sleep .05; done; exit 3';
    const [file, pidFile] = [freshFile(), freshFile()];
    const state = (): string => /\) (.)/.exec(textOf(`/proc/${textOf(pidFile).trim()}/stat`))?.[1] ?? '?';
    // A group of its own below a shell: the kernel stops no group that nobody could continue.
    const shell = ['bash', '--norc', '-c', 'set -m; "$@" & echo $! >"$0"; wait -f $!', pidFile];
    const ended = tell([...shell, ...situation.wrap(sh(counting, file))]);
    await eventually(() => textOf(file).includes('ready'), 'the command is ready');

    process.kill(Number(textOf(pidFile)), 'SIGTSTP');
    await eventually(() => state() === 'T', 'the wrapper stops');
    process.kill(Number(textOf(pidFile)), 'SIGCONT');

    expect(await ended).toMatchObject({ code: 3, signal: null });
  });

  it('that nobody hears end the command with the wrapper, so that its pipes close at once', async () => {
    const pidFile = freshFile();
    const command = (file: string) => sh('echo $$ >"$2"; echo ready >"$1"; exec sleep 20', file, pidFile);
    const start = Date.now();

    const told = await when(command, (child) => void child.kill('SIGKILL'));

    expect(told.signal).toBe('SIGKILL');
    expect(Date.now() - start).toBeLessThan(15_000);
    await eventually(() => !isRunning(Number(textOf(pidFile))), 'the command is gone');
  });

  it('reach the innermost of three wrappers', async () => {
    const file = freshFile();
    const deep = situation.wrap(
      situation.wrap(situation.wrap(sh('echo deep; echo ready >"$1"; exec sleep 20', file))),
    );
    const child = spawn(deep[0] ?? '', deep.slice(1), { stdio: 'ignore', detached: true });
    await eventually(() => textOf(file).includes('ready'), 'the innermost command is ready');

    child.kill('SIGHUP');

    expect(await new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal)))).toBe(
      'SIGHUP',
    );
  });
});
