import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { driftProgram } from '../support/rig.ts';
import { eventually, plainEnv, tell, textOf } from '../support/wrapped.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'drift-launcher-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** A PATH with the usual programs and no Node. */
const withoutNode = join(dir, 'no-node');
mkdirSync(withoutNode);
for (const name of ['sh', 'env', 'cat', 'loopx']) {
  if (name === 'loopx')
    writeFileSync(join(withoutNode, name), '#!/bin/sh\necho "loopx $*"\n', { mode: 0o755 });
  else symlinkSync(`/bin/${name}`, join(withoutNode, name));
}

/** A copy of the package as npm installs it; `dist` is left out on demand. */
function install(folder: string, { dist = true } = {}): string {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(driftProgram, join(folder, 'bin', 'drift'));
  if (!dist) return folder;
  mkdirSync(join(folder, 'dist'));
  for (const file of ['shim.cjs', 'start-compiled.cjs'])
    copyFileSync(join(root, 'dist', file), join(folder, 'dist', file));
  return folder;
}

/** A state that holds nothing keeps the launcher from becoming the command itself: only Node can look into it. */
const idle = join(dir, 'idle');
mkdirSync(idle);
const refresh = ['refresh', '--state-dir', idle, '--'];

const script = ['sh', '-c', 'echo "$@"; echo e >&2; exit 9', 'sh', 'a b', '', '--'];
const said = { code: 9, signal: null, out: Buffer.from('a b  --\n'), err: 'e\n' };

describe('without Node', () => {
  const env = { ...plainEnv, PATH: withoutNode };

  it('refresh runs the command all the same', async () => {
    expect(await tell([driftProgram, 'refresh', '--state-dir', 'x', '--', ...script], { env })).toEqual(said);
  });

  it.each([
    [['refresh-state', '--goal-id', 'g'], 'loopx refresh-state --goal-id g\n'],
    [['--goal-id', 'g'], 'loopx --goal-id g\n'],
  ])('refresh completes the calling form of the seeds: %j', async (words, out) => {
    const told = await tell([driftProgram, 'refresh', '--', ...words], { env });

    expect([told.code, told.out.toString(), told.err]).toEqual([0, out, '']);
  });

  it('every other command says what is missing', async () => {
    for (const words of [['status'], ['refresh'], ['refresh', '--'], []]) {
      const told = await tell([driftProgram, ...words], { env });

      expect([told.code, told.out.length]).toEqual([127, 0]);
      expect(told.err).toMatch(/^drift: there is no node on the PATH; .*\n$/);
    }
  });
});

describe('without dist', () => {
  const installed = install(join(dir, 'no-dist'), { dist: false });

  it('refresh runs the command all the same', async () => {
    expect(await tell([join(installed, 'bin/drift'), 'refresh', '--', ...script])).toEqual(said);
  });

  it('every other command says what is missing', async () => {
    const told = await tell([join(installed, 'bin/drift'), 'status']);

    expect([told.code, told.out.length]).toEqual([2, 0]);
    expect(told.err).toMatch(/dist is missing or not readable/);
  });

  it('refresh leaves PWD and the environment as they are', async () => {
    const bare = await tell(['env'], { cwd: dir, env: { PATH: plainEnv['PATH'], PWD: dir } });

    const told = await tell([join(installed, 'bin/drift'), 'refresh', '--', 'env'], {
      cwd: dir,
      env: { PATH: plainEnv['PATH'], PWD: dir },
    });

    expect(told.out.toString().split('\n').sort()).toEqual(bare.out.toString().split('\n').sort());
  });
});

describe('the package is found', () => {
  const modules = join(dir, 'project', 'node_modules');
  const installed = install(join(modules, 'drift-sentinel'));
  mkdirSync(join(modules, '.bin'));
  symlinkSync('../drift-sentinel/bin/drift', join(modules, '.bin', 'drift'));
  const globally = join(dir, 'prefix');
  install(join(globally, 'lib', 'node_modules', 'drift-sentinel'));
  mkdirSync(join(globally, 'bin'));
  symlinkSync('../lib/node_modules/drift-sentinel/bin/drift', join(globally, 'bin', 'drift'));
  mkdirSync(join(dir, 'elsewhere'));
  symlinkSync(join(installed, 'bin', 'drift'), join(dir, 'elsewhere', 'one'));
  symlinkSync('one', join(dir, 'elsewhere', 'two'));
  symlinkSync(installed, join(dir, 'linked-folder'));

  /** The wrapper is Node only if dist was found; it tells its name by /proc. */
  const parent = ['sh', '-c', 'tr "\\0" " " </proc/$PPID/cmdline', 'sh'];

  it.each([
    ['as a file', join(installed, 'bin/drift')],
    ['through the link of a project', join(modules, '.bin/drift')],
    ['through the link of a global installation', join(globally, 'bin/drift')],
    ['through a link of a link', join(dir, 'elsewhere/two')],
    ['through a linked folder', join(dir, 'linked-folder/bin/drift')],
  ])('%s', async (_how, program) => {
    const told = await tell([program, ...refresh, ...parent]);

    expect(told.out.toString()).toMatch(/^node .*start-compiled\.cjs /);
  });

  it.each([
    ['sh', 'bin/drift', installed],
    ['sh', 'drift', join(installed, 'bin')],
    ['bash', './drift', join(installed, 'bin')],
  ])('when %s is given %s', async (shell, file, cwd) => {
    const told = await tell([shell, file, ...refresh, ...parent], { cwd });

    expect(told.out.toString()).toMatch(/^node .*start-compiled\.cjs /);
  });

  it('from a folder whose name has a space', async () => {
    const spaced = install(join(dir, 'a  folder'));

    expect((await tell([join(spaced, 'bin/drift'), ...refresh, ...script])).code).toBe(9);
  });
});

/** All names that the running Node may look up, out of its own binary. */
const namesOfNode = [
  ...new Set(
    readFileSync(process.execPath, 'latin1').match(
      /\b(?:NODE_[A-Z0-9_]{2,40}|OPENSSL_CONF|UV_THREADPOOL_SIZE|UV_USE_IO_URING)\b/g,
    ),
  ),
];

describe("variables of Node's own", () => {
  const strange = Object.fromEntries(namesOfNode.map((name) => [name, `--no-such-${name}`]));
  const env = { ...plainEnv, ...strange };

  it('reach the command, all of them', async () => {
    const told = await tell([driftProgram, ...refresh, 'env'], { env });
    const lines = new Set(told.out.toString().split('\n'));

    expect(told.err).toBe('');
    expect(namesOfNode.length).toBeGreaterThan(30);
    expect(Object.entries(strange).filter(([name, value]) => !lines.has(`${name}=${value}`))).toEqual([]);
  });

  it("are kept from drift's own Node, all of them", async () => {
    const file = join(dir, 'started');
    const child = spawn(driftProgram, [...refresh, 'sh', '-c', `echo >${file}; exec sleep 20`], {
      env,
      stdio: 'ignore',
      detached: true,
    });
    await eventually(() => existsSync(file), 'the command has started');

    const seen = textOf(`/proc/${child.pid}/environ`)
      .split('\0')
      .filter((line) => /^(NODE_|OPENSSL_CONF|UV_)/.test(line));
    child.kill('SIGTERM');

    expect(seen).toEqual([]);
  });

  it.each(['sh', 'bash'])(
    'stay out of the arguments, which everybody on the system can read, by %s',
    async (shell) => {
      const secrets = {
        ...plainEnv,
        NODE_AUTH_TOKEN: 'hush-1',
        'A-B': 'hush-2',
        HTTPS_PROXY: 'hush-3',
        LINES: 'a\nexport NODE_B=hush-4',
      };
      const look = ['sh', '-c', 'tr "\\0" " " </proc/$PPID/cmdline; env', 'sh'];

      const told = await tell([shell, driftProgram, ...refresh, ...look], { env: secrets });
      const [words = '', rest = ''] = told.out.toString().split(` ${refresh.join(' ')} `);

      expect(words).toMatch(/^node --no-warnings /);
      expect(words).not.toContain('hush');
      expect(rest.split('\n')).toEqual(
        expect.arrayContaining(['NODE_AUTH_TOKEN=hush-1', 'HTTPS_PROXY=hush-3']),
      );
    },
  );

  it('do not keep other commands from starting, and reach what these start', async () => {
    const told = await tell([driftProgram, '--version'], {
      env: { ...plainEnv, NODE_OPTIONS: '--no-such-option' },
    });
    const help = spawnSync(
      process.execPath,
      [
        '--import',
        join(root, 'dist/shim/launch/give-back-node-options.js'),
        '-p',
        '[process.env.NODE_OPTIONS, process.env.DRIFT_NODE_OPTIONS]',
      ],
      { env: { ...plainEnv, DRIFT_NODE_OPTIONS: '--no-such-option' } },
    );

    expect([told.code, told.err]).toEqual([0, '']);
    expect(help.stdout.toString()).toBe("[ '--no-such-option', undefined ]\n");
  });
});

describe('where limits leave Node no room', () => {
  it.each(['ulimit -n 24', 'ulimit -v 300000', 'ulimit -d 10000'])(
    'refresh runs the command all the same: %s',
    async (limit) => {
      const told = await tell(['sh', '-c', `${limit}; "$@"`, 'sh', driftProgram, ...refresh, ...script], {
        env: { ...plainEnv, NODE_OPTIONS: '--x' },
      });

      expect(told).toEqual(said);
    },
  );
});

describe('where nobody observes', () => {
  /** Says who the command's parent is: the test itself, or a wrapper in between. */
  const parent = ['sh', '-c', 'tr "\\0" " " </proc/$PPID/cmdline', 'sh'];
  const wrapper = /^node --no-warnings .*start-compiled\.cjs /;
  const away = mkdtempSync(join(tmpdir(), 'drift-away-'));
  afterAll(() => rmSync(away, { recursive: true }));
  const ask = (
    words: readonly string[],
    { cwd = away, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
  ) => tell([driftProgram, 'refresh', ...words], { cwd, env: { ...plainEnv, ...env } });

  it.each([
    ['nothing is named', []],
    ['the state that is named is missing', ['--state-dir', '/nonexistent/a']],
    ['it is named in one word', ['--state-dir=/nonexistent/a', '--agent-id', 'a']],
    ['options stand there that are none', ['--bogus', 'x']],
  ])('the command takes the place of the launcher: %s', async (_what, options) => {
    const told = await ask([...options, '--', ...parent]);

    expect([told.code, told.err]).toEqual([0, '']);
    expect(told.out.toString()).not.toMatch(wrapper);
  });

  it('dies as it dies, by any signal, and says what it says', async () => {
    const killed = [driftProgram, 'refresh', '--', 'sh', '-c', 'kill -34 $$; sleep 5'];
    const told = await tell(['bash', '--norc', '-c', '"$@"; exit $?', 'bash', ...killed], {
      cwd: away,
      env: plainEnv,
    });

    expect(told.code).toBe(128 + 34);
    expect(await ask(['--', ...script])).toEqual(said);
  });

  it('hands on the environment as it is', async () => {
    const bare = await tell(['env'], {
      cwd: away,
      env: { ...plainEnv, NODE_OPTIONS: '--x', PWD: away, A: '' },
    });

    const told = await ask(['--', 'env'], { env: { NODE_OPTIONS: '--x', PWD: away, A: '' } });

    expect(told.out.toString().split('\n').sort()).toEqual(bare.out.toString().split('\n').sort());
  });

  it('is left to Node to decide wherever there may be a state, or something to say', async () => {
    const observed = join(away, 'observed');
    mkdirSync(join(observed, '.drift'), { recursive: true });
    mkdirSync(join(observed, 'a', 'b'), { recursive: true });
    // The way up in steps of `/..` is longer than a path may be.
    const deep = join(observed, ...Array<string>(1_500).fill('d'));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(observed, '.drift', 'observer.json'), '{}');
    symlinkSync('/nonexistent', join(away, 'dangling'));
    const cases: [string[], { cwd?: string; env?: NodeJS.ProcessEnv }][] = [
      [['--state-dir', idle], {}],
      [[`--state-dir=${idle}`], {}],
      [['--state-dir', 'dangling'], {}],
      [['--agent-id', '--state-dir', idle], {}],
      [[], { env: { DRIFT_STATE_DIR: idle } }],
      [[], { cwd: observed }],
      [[], { cwd: join(observed, 'a', 'b') }],
      [[], { cwd: deep }],
      [['--state-dir', '/nonexistent/a'], { cwd: observed }],
      [[], { env: { 'A-B': 'odd' } }],
    ];
    for (const [options, where] of cases) {
      const told = await ask([...options, '--', ...parent], where);

      expect([options, where, told.code, told.err]).toEqual([options, where, 0, '']);
      expect(told.out.toString()).toMatch(wrapper);
    }
    const explained = await ask(['--explain', '--', ...parent]);
    expect(explained.err).toBe('drift: no observer found; the command only passes through\n');
  });

  it.each([
    ['/nonexistent/program', 127, 'command not found'],
    ['drift-no-such-program', 127, 'command not found'],
    // A shell has it, and no folder of the PATH.
    ['drift_bare', 127, 'command not found'],
    ['export', 127, 'command not found'],
    ['/', 126, 'Permission denied'],
  ])('leaves %s to the one that has the words for it, observed or not', async (program, code, words) => {
    for (const options of [[], ['--state-dir', idle]]) {
      const told = await ask([...options, '--', program]);

      expect([options, told.code, told.out.length, told.err]).toEqual([
        options,
        code,
        0,
        `drift: ${program}: ${words}\n`,
      ]);
    }
  });

  it('finds a program as execvp does', async () => {
    const [first, second] = [join(away, 'first'), join(away, 'second')];
    for (const folder of [first, second]) mkdirSync(folder);
    writeFileSync(join(first, 'prog'), '#!/bin/sh\necho first\n', { mode: 0o644 });
    writeFileSync(join(second, 'prog'), '#!/bin/sh\necho second\n', { mode: 0o755 });
    const path = (folders: string) =>
      ask(['--', 'prog'], { env: { PATH: `${folders}:${plainEnv['PATH']}` }, cwd: second });

    expect((await path(`${first}:${second}`)).out.toString()).toBe('second\n');
    expect((await path(`${first}:`)).out.toString()).toBe('second\n');
  });

  it('runs from a folder that has been deleted', async () => {
    const gone = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';

    const told = await tell(['sh', '-c', gone, 'sh', driftProgram, 'refresh', '--', 'echo', 'hi'], {
      cwd: away,
      env: plainEnv,
    });

    expect([told.code, told.out.toString(), told.err]).toEqual([0, 'hi\n', '']);
  });
});

describe('missing helpers of the system', () => {
  it.each([
    ['no readlink, base64 or setpriv on the PATH', { PATH: `${withoutNode}:${dirname(process.execPath)}` }],
    ['no PATH worth the name', { PATH: `/nonexistent:${dirname(process.execPath)}` }],
  ])('refresh works with %s', async (_what, more) => {
    expect(
      await tell([driftProgram, ...refresh, '/bin/sh', ...script.slice(1)], {
        env: { ...plainEnv, ...more },
      }),
    ).toEqual(said);
  });

  it('a PWD that is not true is kept without the first line of the launcher', async () => {
    const env = { ...plainEnv, PWD: '/nowhere/at/all' };

    const { out } = await tell([`${driftProgram}-sh`, ...refresh, 'printenv', 'PWD'], { env });

    expect(out.toString()).toBe('/nowhere/at/all\n');
  });

  it('without base64, variables with a name that is no identifier are lost, and no others', async () => {
    const node = join(dir, 'node-alone');
    mkdirSync(node);
    symlinkSync(process.execPath, join(node, 'node'));
    const env = { PATH: node, KEPT: 'yes', 'A-B': 'lost' };

    const { out } = await tell([driftProgram, ...refresh, '/usr/bin/env'], { env });

    expect(out.toString().split('\n').sort()).toEqual(['', 'KEPT=yes', `PATH=${node}`]);
  });
});

describe('the launcher', () => {
  it('is clean for shellcheck', () => {
    const { error, status, stdout } = spawnSync('shellcheck', [driftProgram, `${driftProgram}-sh`]);
    if (error) {
      console.error('NOT RUN: shellcheck is not installed');
      return;
    }

    expect([status, stdout.toString()]).toEqual([0, '']);
  });

  it('is in the repository as an executable', () => {
    const { stdout } = spawnSync('git', ['-C', root, 'ls-files', '-s', 'bin/drift']);

    expect(stdout.toString()).toMatch(/^100755 /);
  });
});
