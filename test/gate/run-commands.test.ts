import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { GateCommand, GateEvent } from '../../src/contract/gate.ts';
import { newRecord } from '../../src/gate/gate-record.ts';
import { environmentFor } from '../../src/gate/resolve-runner.ts';
import { runCommands } from '../../src/gate/run-commands.ts';
import { argvOfLine, commandOfLine } from '../../src/gate/shell-line.ts';
import { isRunning } from '../support/is-running.ts';
import { temporaryFolder } from '../support/rig.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const where = () => ({ cwd: folder, env: process.env });
const run = async (line: string, more: Partial<GateCommand> = {}) => {
  const record = newRecord();
  const command = { ...commandOfLine(line, where()), ...more };
  await runCommands(record, [command], { ...where(), progress: () => undefined });
  return record;
};
const kinds = (events: readonly GateEvent[]) => events.map(([kind]) => kind);

describe('a command of the gate', () => {
  it('passes on exit 0: attempted, observed, named', async () => {
    const { events, skips, failures } = await run('true');

    expect(events).toEqual([['attempted', 'true'], ['observed'], ['ran', 'true']]);
    expect([skips, failures]).toEqual([[], []]);
  });

  it('fails on any other exit, with the end of its output on one line', async () => {
    const { events, failures } = await run(`printf 'one\\n\\033[31mtwo\\033[0m\\tthree\\n' >&2; exit 3`);

    expect(kinds(events)).toEqual(['attempted', 'observed', 'fail']);
    expect(failures).toMatchObject([
      { rank: 1, observed: true, exit: 3, signal: null, tail: 'one two three' },
    ]);
    expect(failures[0]?.text).toMatch(/: exit 3 — one two three$/);
  });

  it.each([
    ['a program that is not there', 'no-such-program-here', {}, 'spawn_error', 'ENOENT'],
    ['a file that cannot be executed', '/etc/passwd', {}, 'spawn_error', 'EACCES'],
    ['a folder', '/tmp', {}, 'spawn_error', 'EACCES'],
    ['a command that takes too long', 'sleep 20', { timeoutMs: 150 }, 'timeout', 'after 150 ms'],
    ['a command that kills itself', 'kill -9 $$', {}, 'signal', 'SIGKILL'],
    ['a shell that does not find a program', 'no-such-program-here && true', {}, 'exit_127', ''],
    ['exit 127 itself', 'exit 127', {}, 'exit_127', ''],
    ['a declared exit', 'exit 77', { skipExit: [77] }, 'declared_skip', 'exit 77'],
  ])('skips %s by its rule, and never observes it', async (_name, line, more, rule, detail) => {
    const { events, skips, failures } = await run(line, more);

    expect(skips).toMatchObject([{ rule, detail: expect.stringContaining(detail) }]);
    expect(kinds(events)).toEqual(
      rule === 'spawn_error' ? ['attempted', 'spawn_failure', 'warn'] : ['attempted', 'warn'],
    );
    expect(failures).toEqual([]);
  });

  it('fails on 127 where that is hardened, and on a failing test that prints "not found"', async () => {
    const hardened = await run('exit 127', { exit127: 'fail' });
    const wording = await run('echo "sh: jest: command not found"; exit 1');

    expect(hardened.failures).toMatchObject([{ exit: 127 }]);
    expect(wording.failures).toMatchObject([{ exit: 1 }]);
    expect([hardened.skips, wording.skips]).toEqual([[], []]);
  });

  it('keeps 400 characters of a large or binary output', async () => {
    const { failures } = await run('head -c 300000 /dev/urandom; printf "\\377\\376 the end"; exit 1');

    expect([...(failures[0]?.tail ?? '')].length).toBeLessThanOrEqual(400);
    expect(failures[0]?.tail).toMatch(/ the end$/);
    expect(failures[0]?.tail).not.toMatch(/\p{Cc}/u);
  });

  it('does not wait for a grandchild that keeps the pipe open, and ends it', async () => {
    const started = Date.now();
    const { events } = await run('sleep 30 & echo $! > pid');

    expect(kinds(events)).toContain('ran');
    expect(Date.now() - started).toBeLessThan(5_000);
    expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  });

  it('ends the whole group on a timeout, the deaf grandchildren too', async () => {
    await run(`sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done'`, { timeoutMs: 500 });
    await sleep(100);

    expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  });

  it('gives no input and runs in the folder of the gate', async () => {
    const { failures } = await run('cat > input; test ! -s input && pwd > where');

    expect(failures).toEqual([]);
    expect(readFileSync(join(folder, 'where'), 'utf8').trim()).toBe(folder);
  });

  it('runs every command, whatever failed before', async () => {
    const record = newRecord();
    const commands = ['false', 'touch ran', 'no-such-program-here', 'touch last'].map((line) =>
      commandOfLine(line, where()),
    );
    await runCommands(record, commands, { ...where(), progress: () => undefined });

    expect(existsSync(join(folder, 'ran')) && existsSync(join(folder, 'last'))).toBe(true);
    expect(record.events.filter(([kind]) => kind === 'attempted')).toHaveLength(4);
  });
});

describe('argvOfLine', () => {
  it.each([
    ['npm run test:unit', ['npm', 'run', 'test:unit']],
    ['  true  ', ['true']],
    ['no-such-program-here --x', ['no-such-program-here', '--x']],
    ['exit 3', ['sh', '-c', 'exit 3']],
    ['A=1 env', ['sh', '-c', 'A=1 env']],
    ['npm test && echo ok', ['sh', '-c', 'npm test && echo ok']],
    [`node -e 'process.exit(3)'`, ['sh', '-c', `node -e 'process.exit(3)'`]],
    ['ls *', ['sh', '-c', 'ls *']],
  ])('makes %j', (line, argv) => {
    expect(argvOfLine(line, { cwd: '/', env: process.env })).toEqual(argv);
  });
});

describe('environmentFor', () => {
  it('leaves the environment alone for a runner on its PATH', async () => {
    expect(await environmentFor('sh', where())).toBe(process.env);
  });

  it('puts a known folder in front for a runner that is installed there', async () => {
    const bin = join(folder, '.local', 'bin');
    const { failures } = await run(
      `mkdir -p ${bin} && printf '#!/bin/sh\\nexit 0\\n' > ${bin}/my-runner && chmod +x ${bin}/my-runner`,
    );
    const env = await environmentFor('my-runner', {
      cwd: folder,
      env: { HOME: folder, PATH: '/bin' },
    });

    expect(failures).toEqual([]);
    expect(env?.['PATH']).toBe(`${bin}:/bin`);
  });

  it('finds nothing of a runner that is nowhere', async () => {
    expect(await environmentFor('no-such-program-here', where())).toBeNull();
    expect(await environmentFor('./no-such-program-here', where())).toBeNull();
  });
});
