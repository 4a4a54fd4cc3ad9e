import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { callDrift, documentOf } from '../support/call-drift.ts';
import { isRunning } from '../support/is-running.ts';
import { driftProgram, run, temporaryFolder } from '../support/rig.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const gate = (...args: string[]) => callDrift(['gate', ...args], { cwd: folder });
const judge = async (...args: string[]) => documentOf(await gate(...args, '--json'));
const write = (name: string, content: unknown) =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
const configure = (config: object) =>
  write('gate.json', { schema_version: 'drift_gate_config_v1', ...config });
const debts = async () => (await judge('debts')).open_debts;

describe('drift gate', () => {
  it('passes with exit 0 when everything was seen to pass', async () => {
    const run = await gate('--cmd', 'true', '--json');

    expect(run.exit).toBe(0);
    expect(documentOf(run)).toMatchObject({
      schema: 'drift_gate_v1',
      verdict: 'PASS',
      ok: true,
      reason: 'passed: `true`',
      failures: [],
      observed_failures: [],
      unobserved: null,
      passed: ['true'],
      attempts: 1,
      observations: 1,
      spawn_failures: 0,
      skips: [],
      open_debts: [],
      debt_note: null,
    });
  });

  it('fails with exit 1 and lists every failure in order', async () => {
    const run = await gate('--cmd', 'exit 4', '--cmd', 'true', '--cmd', 'false', '--json');

    expect(run.exit).toBe(1);
    expect(documentOf(run)).toMatchObject({
      verdict: 'FAIL',
      ok: false,
      failures: [
        { label: 'exit 4', rank: 1, observed: true, exit: 4, signal: null },
        { label: 'false', exit: 1 },
      ],
      observed_failures: [],
      passed: ['true'],
    });
  });

  it('is UNOBSERVED with exit 3 where there is nothing to run, and leaves a debt for the next run', async () => {
    const first = await gate('--json');
    const second = await judge();

    expect(first.exit).toBe(3);
    expect(documentOf(first)).toMatchObject({
      verdict: 'UNOBSERVED',
      ok: true,
      open_debts: [],
      debt_note: null,
    });
    expect(documentOf(first).reason).toMatch(/^UNOBSERVED — NOT a pass/);
    expect(second.open_debts).toMatchObject([{ task: 'gate', origin: 'final-gate', conflict: null }]);
    expect(second.debt_note).toMatch(/^1 open debt: /);
    expect(second.reason).not.toContain('debt');
    expect(await debts()).toHaveLength(1);
  });

  it('shows the debt on a pass too, until its owner closes it', async () => {
    await gate();
    expect(await judge('--cmd', 'true')).toMatchObject({
      verdict: 'PASS',
      open_debts: [{ origin: 'final-gate' }],
    });
    const [{ id }] = await debts();

    expect((await gate('debts', 'close', '--id', id)).exit).toBe(2);
    expect((await gate('debts', 'close', '--id', id, '--reason', 'seen by hand')).exit).toBe(0);
    expect((await judge('--cmd', 'true')).open_debts).toEqual([]);
    expect(
      documentOf(await gate('debts', 'close', '--id', id, '--reason', 'again', '--json')).error.reason,
    ).toBe('debt_not_found');
  });

  it('lets UNOBSERVED be 0 when told so once, or for good', async () => {
    configure({ commands: [], unobserved: 'ok' });

    expect((await gate('--unobserved-ok')).exit).toBe(0);
    expect((await gate('--config', 'gate.json')).exit).toBe(0);
    expect((await judge('--unobserved-ok')).verdict).toBe('UNOBSERVED');
  });

  it('is UNOBSERVED when everything was skipped, FAIL when nothing could even start', async () => {
    expect(await judge('--cmd', 'exit 127', '--cmd', 'no-such-program-here')).toMatchObject({
      verdict: 'UNOBSERVED',
      attempts: 2,
      spawn_failures: 1,
      skips: [{ rule: 'exit_127' }, { rule: 'spawn_error' }],
    });
    const blind = await judge('--cmd', 'no-such-program-here', '--cmd', 'nor-this-one');
    expect(blind).toMatchObject({
      verdict: 'FAIL',
      failures: [{ rank: 0, observed: false }],
      observed_failures: [],
    });
    expect(blind.reason).toMatch(/`no-such-program-here`, `nor-this-one` cannot be found here$/);
  });

  it('prints each skip with its rule on every verdict', async () => {
    for (const other of ['true', 'false', 'exit 127'])
      expect((await gate('--cmd', 'kill -9 $$', '--cmd', other)).stdout).toMatch(
        /skipped {2}kill -9 \$\$: signal \(SIGKILL\)/,
      );
  });

  it('bounds a command by --timeout-ms', async () => {
    expect(await judge('--cmd', 'sleep 20', '--timeout-ms', '200')).toMatchObject({
      skips: [{ rule: 'timeout' }],
    });
  });

  it('puts the boot first and calls only its failures observed', async () => {
    configure({
      commands: [{ label: 'unit', argv: ['false'] }],
      boot: { argv: ['sh', '-c', 'exit 9'], probe: ['false'], grace_ms: 3_000 },
    });
    const { failures, observed_failures: observed, reason } = await judge('--config', 'gate.json');

    expect(failures.map(({ rank }: { rank: number }) => rank)).toEqual([0, 1]);
    expect(observed).toEqual([failures[0].text]);
    expect(reason).toMatch(/^2 failures, the weightiest first:\n1\. boot .*\n2\. unit: exit 1$/);
  });

  it('runs what the folder offers when nothing is declared', async () => {
    write('package.json', { scripts: { test: 'exit 0', 'test:more': 'exit 3' } });

    expect(await judge()).toMatchObject({
      verdict: 'FAIL',
      passed: ['npm test'],
      failures: [{ label: 'npm run test:more', exit: 3 }],
    });
    expect((await judge('discover')).commands.map(({ label }: { label: string }) => label)).toEqual([
      'npm test',
      'npm run test:more',
    ]);
  });

  it.each([
    ['an unknown key', { commands: [], retries: 3 }, 'retries'],
    ['an empty argv', { commands: [{ argv: [] }] }, 'commands.0.argv.0'],
    ['an unknown key of a command', { commands: [{ argv: ['x'], shell: true }] }, 'commands.0.shell'],
    ['another version', { schema_version: 'drift_gate_config_v2' }, 'schema_version'],
    ['no version', { schema_version: undefined }, 'schema_version'],
    ['a timeout of none', { commands: [{ argv: ['x'], timeout_ms: 0 }] }, 'commands.0.timeout_ms'],
  ])('refuses a configuration with %s', async (_name, config, field) => {
    configure(config);
    const run = await gate('--config', 'gate.json', '--json');

    expect(run.exit).toBe(2);
    expect(documentOf(run)).toMatchObject({ ok: false, error: { reason: 'config_invalid', field } });
  });

  it.each([
    [['--config', 'nowhere.json'], 'file_missing'],
    [['--cwd', 'nowhere'], 'usage'],
    [['--cmd', 'true', '--config', 'gate.json'], 'usage'],
    [['--cmd', ' '], 'usage'],
    [['--timeout-ms', 'soon', '--cmd', 'true'], 'usage'],
    [['debts', 'open'], 'usage'],
    [['accept', '--task', 't'], 'usage'],
  ])('refuses %j with exit 2', async (args, reason) => {
    const run = await gate(...args, '--json');

    expect(run.exit).toBe(2);
    expect(documentOf(run).error.reason).toBe(reason);
  });

  it('accepts a debt, and shows the conflict of one that asks for a committed file to go', async () => {
    spawnSync('git', ['init', '-q'], { cwd: folder });
    write('kept.ts', '');
    spawnSync('git', ['add', '.'], { cwd: folder });
    const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
    spawnSync('git', [...author, 'commit', '-qm', 'x'], { cwd: folder });
    await gate('accept', '--task', 't-4', '--reason', 'kept.ts should not exist');

    expect(await debts()).toMatchObject([
      { task: 't-4', origin: 'accepted', conflict: expect.stringContaining('kept.ts') },
    ]);
    const { head_sha: sha, worktree_digest: digest } = await judge('--cmd', 'true');
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
    write('kept.ts', 'changed');
    const changed = await judge('--cmd', 'true');
    expect(changed.head_sha).toBe(sha);
    expect(changed.worktree_digest).not.toBe(digest);
  });

  it('leaves one line of at most 300 characters for every run', async () => {
    configure({
      commands: [{ argv: ['true'] }],
      boot: { argv: ['no-such-program-here', 'ü"\\'.repeat(200)], probe: 'false' },
    });
    await gate('--config', 'gate.json');
    await gate('--cmd', 'true');
    const lines = readFileSync(join(folder, '.drift', 'gate', 'trail.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');

    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(300);
    const [unobserved, passed] = (await judge('history')).rows;
    expect(unobserved.line).toMatch(/^UNOBSERVED — NOT a pass: boot `no-such-program-here /);
    expect(passed).toMatchObject({ line: 'PASS: passed: `true`', verdict: 'PASS' });
  });

  it('writes the same evidence for the same verdict over the same files, and another for others', async () => {
    write('a.ts', 'one');
    const evidence = () => readFileSync(join(folder, 'gate-evidence.json'), 'utf8');
    await gate('--cmd', 'true', '--evidence', 'gate-evidence.json');
    const first = evidence();
    await gate('--cmd', 'true', '--evidence', 'gate-evidence.json');

    expect(evidence()).toBe(first);
    expect(JSON.parse(first)).toMatchObject({
      schema: 'drift_gate_evidence_v1',
      verdict: 'PASS',
      passed: ['true'],
    });
    write('a.ts', 'two');
    await gate('--cmd', 'true', '--evidence', 'gate-evidence.json');
    expect(evidence()).not.toBe(first);
  });

  it('gives its verdict though nothing can be written down, and says so', async () => {
    write('state', '');
    const run = await gate('--cmd', 'true', '--state-dir', 'state');

    expect(run.exit).toBe(0);
    expect(run.stderr).toMatch(/not recorded/);
  });

  it('shows progress nowhere but on a terminal', async () => {
    expect((await gate('--cmd', 'true')).stderr).toBe('');
    const terminal = spawnSync('script', ['-qec', `'${driftProgram}' gate --cmd 'sleep 0.2'`, '/dev/null'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(terminal.stdout).toContain('running sleep 0.2 … 0 s');
  });

  it('ends its commands when it is interrupted, and dies by the signal', async () => {
    const ended = await run([driftProgram, 'gate', '--cmd', 'echo $$ > pid; sleep 30; true'], {
      cwd: folder,
      onStart: (child) => void untilWritten('pid').then(() => child.kill('SIGTERM')),
    });

    expect(ended.rc).toBe('SIGTERM');
    expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  });

  it.each([
    ['true', 0],
    ['false', 1],
    ['exit 127', 3],
    [' ', 2],
  ])('ends the built program on %j with exit %i', async (line, rc) => {
    expect((await run([driftProgram, 'gate', '--cmd', line], { cwd: folder })).rc).toBe(rc);
  });

  it('has two examples in its help', async () => {
    expect((await gate('--help')).stdout.match(/^ {2}drift gate/gm)).toHaveLength(2);
  });
});

describe('launch scripts', () => {
  const launch = async (script: string, more: object = {}) => {
    configure({ commands: [{ argv: ['true'] }], launch: [{ script, ...more }], manifest: 'package.json' });
    write('package.json', { scripts: { [script]: script } });
    return await judge('--config', 'gate.json');
  };

  it('pass and fail like commands', async () => {
    expect(await launch('exit 0')).toMatchObject({ verdict: 'PASS', passed: ['true', 'launch exit 0'] });
    expect(await launch('exit 6')).toMatchObject({
      verdict: 'FAIL',
      failures: [{ label: 'launch exit 6', exit: 6 }],
    });
  });

  it('that lack a variable which the template declares are a gap of the configuration, not a failure', async () => {
    write('.env.example', '# what it needs\nAPI_ADDRESS=http://localhost\nPORT=\n');
    const found = await launch('test -n "$API_ADDRESS" && test -n "$PORT"', { env_template: '.env.example' });

    expect(found).toMatchObject({ verdict: 'UNOBSERVED', attempts: 2, observations: 1, failures: [] });
    expect(found.skips).toMatchObject([{ rule: 'config_gap', detail: 'not set: API_ADDRESS, PORT' }]);
    expect(found.unobserved).toContain('API_ADDRESS, PORT');
  });

  it('that fail with every variable set still fail', async () => {
    write('.env.example', 'PORT=1\n');

    expect(await launch('test -n "$PORT" && exit 5; exit 6', { env_template: '.env.example' })).toMatchObject(
      {
        verdict: 'FAIL',
        failures: [{ exit: 6 }],
      },
    );
  });

  it('without a manifest to hold them against are a note that passing tests do not cancel', async () => {
    configure({ commands: [{ argv: ['true'] }], launch: [{ script: 'true' }] });
    expect(await judge('--config', 'gate.json')).toMatchObject({
      verdict: 'UNOBSERVED',
      passed: ['true', 'launch true'],
    });

    configure({ commands: [{ argv: ['true'] }], launch: [{ script: 'true' }], manifest: 'nowhere.json' });
    expect((await judge('--config', 'gate.json')).verdict).toBe('UNOBSERVED');
  });

  it('that the manifest does not name fail', async () => {
    write('package.json', { scripts: {} });
    configure({ commands: [{ argv: ['true'] }], launch: [{ script: 'true' }], manifest: 'package.json' });

    expect(await judge('--config', 'gate.json')).toMatchObject({
      verdict: 'FAIL',
      failures: [{ observed: false, rank: 1 }],
    });
  });
});

async function untilWritten(name: string): Promise<void> {
  const file = join(folder, name);
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(20);
}
