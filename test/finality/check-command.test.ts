import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ledgerName } from '../../src/finality/check-ledger.ts';
import { isWaiting } from '../../src/spool/waiting.ts';
import { documentOf, runDrift, startDrift, temporaryFolder } from '../support/run-drift.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

interface Call {
  id?: string;
  stage?: string;
  deliverable?: string;
  dependency?: string;
  required?: boolean;
  semantic?: unknown;
  action?: string;
  more?: readonly string[];
  probe?: readonly string[];
}

const words = ({
  id = 'publish-42',
  stage = 'deliver',
  deliverable = 'in_progress',
  dependency = 'pending',
  required = true,
  semantic = {},
  action = 'check',
  more = [],
  probe,
}: Call = {}): string[] => [
  'check',
  ...['--id', id, '--stage', stage, '--deliverable', deliverable, '--dependency', dependency],
  required ? '--required' : '--not-required',
  ...['--semantic', JSON.stringify(semantic), '--action', action],
  ...more,
  ...(probe ? ['--', ...probe] : []),
];
const run = (call?: Call) => runDrift(words(call), { cwd: folder.path });
const answer = (call: Call = {}) => documentOf(run({ ...call, more: [...(call.more ?? []), '--json'] }));

describe('drift check', () => {
  it('allows the first look, denies the second at the same state, and allows one at a new cursor', () => {
    const first = answer({
      semantic: { cursor: 1 },
      more: ['--volatile', '{"at":"09:00","request_id":"a"}'],
    });
    const second = answer({
      semantic: { cursor: 1 },
      more: ['--volatile', '{"at":"09:05","request_id":"b"}'],
    });
    const third = answer({ semantic: { cursor: 2 } });

    expect(first).toMatchObject({ schema: 'drift_check_v1', decision: 'allow', reason: 'first_observation' });
    expect(second).toMatchObject({
      decision: 'deny',
      reason: 'identical_repoll',
      allowed_actions: ['mechanism_change', 'escalate'],
      checks_for_state: 2,
      identical_repolls: 1,
      probe: { ran: false, exit: null, signal: null },
    });
    expect(third).toMatchObject({ decision: 'allow', reason: 'state_changed', checks_for_state: 1 });
    expect(third.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(third.fingerprint).not.toBe(second.fingerprint);
  });

  it('counts a denied check too, and denies a state that is left and entered again', () => {
    run({ semantic: { at: 'a' } });
    run({ semantic: { at: 'b' } });

    expect(answer({ semantic: { at: 'a' } })).toMatchObject({ decision: 'deny', checks_for_state: 2 });
    expect(answer({ semantic: { at: 'a' } })).toMatchObject({
      decision: 'deny',
      checks_for_state: 3,
      identical_repolls: 2,
    });
  });

  it('denies the same work twice on one state, and allows another kind of action', () => {
    expect(run({ action: 'work' }).exit).toBe(0);
    expect(answer({ action: 'work' })).toMatchObject({ decision: 'deny', reason: 'stuck_work' });
    expect(answer({ action: 'escalate' })).toMatchObject({ decision: 'allow', reason: 'not_blocking' });
  });

  it.each([
    [{ dependency: 'pending', required: false }, 'dependency_not_required'],
    [{ dependency: 'running', required: true }, 'not_blocking'],
    [{ dependency: 'failed', required: true }, 'first_observation'],
  ])('allows a first check of %j as %s', (call, reason) => {
    expect(answer(call)).toMatchObject({ decision: 'allow', reason });
  });

  it('demands the finish of what is accepted with nothing required, without starting the probe', () => {
    const call = { deliverable: 'accepted', required: false, probe: ['touch', 'started'] };

    expect(run(call)).toMatchObject({ exit: 4, stdout: '' });
    expect(existsSync(join(folder.path, 'started'))).toBe(false);
    expect(answer({ ...call, more: ['--json'] })).toMatchObject({
      decision: 'must_finish',
      reason: 'accepted_without_dependency',
      allowed_actions: ['advance', 'deliver', 'complete'],
    });
  });

  it('keeps complete from a run with an open required dependency, in whichever stage it is', () => {
    run({ stage: 'build' });

    expect(answer({ stage: 'build', action: 'complete' })).toMatchObject({
      decision: 'deny',
      reason: 'required_dependency_open',
    });
    expect(run({ stage: 'ship', required: false, action: 'complete' }).exit).toBe(3);
    expect(run({ stage: 'build', dependency: 'succeeded', action: 'advance' }).exit).toBe(0);
    expect(run({ stage: 'ship', required: false, action: 'complete' }).exit).toBe(0);
  });

  it('holds a stage to whether its dependency was required at first, until a reset', () => {
    run();

    const changed = run({ required: false, more: ['--json'] });
    expect(changed.exit).toBe(2);
    expect(documentOf(changed)).toMatchObject({
      ok: false,
      error: { reason: 'dependency_contract_changed' },
    });
    expect(run({ stage: 'another', required: false }).exit).toBe(0);
    expect(
      runDrift(['check', 'reset', '--id', 'publish-42', '--reason', 'new plan'], { cwd: folder.path }).exit,
    ).toBe(0);
    expect(run({ required: false }).exit).toBe(0);
  });

  it('keeps all nine fields of the entry, and remembers the ones that a call leaves out', () => {
    const told = ['--expect', 'a release id', '--escalate-when', 'unchanged for a day', '--output', 'log/7'];
    answer({ semantic: { cursor: 1 }, more: [...told, '--status', 'queued'] });
    const { entry } = answer({ semantic: { cursor: 2 } });

    expect(entry).toEqual({
      id: 'publish-42',
      status: 'pending',
      output: 'log/7',
      normalized_state: {
        stage: 'deliver',
        deliverable_state: 'in_progress',
        dependency_state: 'pending',
        dependency_required_for_next_stage: true,
        semantic_state: { cursor: 2 },
      },
      dependency_required: true,
      next_action: 'check',
      expected_transition: 'a release id',
      checks_for_state: 1,
      escalation_trigger: 'unchanged for a day',
    });
    const shown = documentOf(
      runDrift(['check', 'show', '--id', 'publish-42', '--json'], { cwd: folder.path }),
    );
    expect(shown).toMatchObject({ entry, open: true, states_checked: 2 });
  });

  it.each([
    ['text as the semantic state', ['--semantic', '"x"'], 'json_invalid'],
    ['a key that stands twice', ['--semantic', '{"a":1,"a":2}'], 'json_invalid'],
    ['an infinite number', ['--semantic', '{"a":1e999}'], 'json_invalid'],
    ['a number that is no number', ['--semantic', '{"a":NaN}'], 'json_invalid'],
    ['half a surrogate pair', ['--semantic', '{"a":"\\ud800"}'], 'json_invalid'],
    ['a list as volatile', ['--volatile', '[]'], 'json_invalid'],
    ['a file that is not there', ['--semantic', '@nowhere.json'], 'file_missing'],
    ['an unknown action', ['--action', 'dance'], 'usage'],
    ['both dependency flags', ['--not-required'], 'usage'],
    ['a blank id', ['--id', '  '], 'usage'],
    ['no probe after --', ['--'], 'usage'],
  ])('refuses %s with exit 2 and records nothing', (_name, more, reason) => {
    const json = more.at(-1) === '--' ? ['--json', ...more] : [...more, '--json'];
    const refused = run({ more: json });

    expect(refused.exit).toBe(2);
    expect(documentOf(refused)).toMatchObject({ ok: false, error: { reason } });
    expect(answer()).toMatchObject({ decision: 'allow', checks_for_state: 1 });
  });

  it('reads the semantic state from a file', () => {
    writeFileSync(join(folder.path, 'state.json'), '{"cursor": 1}');
    const fromFile = documentOf(
      runDrift(
        [
          ...words()
            .filter((word) => word !== '{}')
            .map((word) => (word === '--semantic' ? '--semantic=@state.json' : word)),
          '--json',
        ],
        {
          cwd: folder.path,
        },
      ),
    );

    expect(fromFile.entry.normalized_state.semantic_state).toEqual({ cursor: 1 });
  });

  it('makes a private state folder that git ignores', () => {
    run();
    const state = join(folder.path, '.drift');
    const ledger = join(state, 'check', ledgerName('publish-42'), '1.json');

    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(ledger).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(state, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('names no host, scheduler or vendor in its help', () => {
    const { stdout } = runDrift(['check', '--help'], { cwd: folder.path });

    expect(stdout).not.toMatch(/claude|codex|loopx|\bpi\b|github|cron|systemd|kubernetes|jenkins/i);
    expect(stdout.match(/^ {2}drift check/gm)).toHaveLength(2);
  });
});

describe('a probe of drift check', () => {
  it.each([0, 1, 7, 126, 127, 255])('gives exit status %i back', (status) => {
    expect(run({ probe: ['sh', '-c', `exit ${status}`] })).toMatchObject({ exit: status, signal: null });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGKILL', 'SIGHUP', 'SIGPIPE'] as const)(
    "dies by the probe's %s",
    (signal) => {
      expect(run({ probe: ['sh', '-c', `kill -${signal.slice(3)} $$`] })).toMatchObject({
        exit: null,
        signal,
      });
    },
  );

  it('hands bytes through unchanged, both ways', () => {
    const bytes = Buffer.alloc(1_000_003, Buffer.from(Array.from({ length: 256 }, (_, i) => i)));
    writeFileSync(join(folder.path, 'bytes'), bytes);
    const digest = createHash('sha256').update(bytes).digest('hex');

    expect(run({ probe: ['sha256sum', 'bytes'] }).stdout).toBe(`${digest}  bytes\n`);
    expect(
      runDrift(words({ id: 'stdin', probe: ['cat'] }), { cwd: folder.path, input: bytes }).bytes,
    ).toEqual(bytes);
  });

  it("prints one document with --json, and the probe's output on stderr", () => {
    const granted = run({ more: ['--json'], probe: ['sh', '-c', 'echo seen; exit 7'] });

    expect(documentOf(granted)).toMatchObject({
      decision: 'allow',
      probe: { ran: true, exit: 7, signal: null },
    });
    expect(granted).toMatchObject({ exit: 7, stderr: 'seen\n' });
  });

  it('says that a probe cannot be found, with 127', () => {
    expect(run({ probe: ['no-such-program-here'] })).toMatchObject({ exit: 127 });
  });

  it('keeps its words as they are', () => {
    const { stdout } = run({ probe: ['printf', '%s|', '', '1e3', '0x10', '--json', '--', '-x=1', 'a b'] });

    expect(stdout).toBe('|1e3|0x10|--json|--|-x=1|a b|');
  });

  it('is not granted again after drift was killed while it ran', async () => {
    const child = startDrift(words({ probe: ['sh', '-c', 'echo $$ > started; exec sleep 30'] }), {
      cwd: folder.path,
    });
    await until(() => existsSync(join(folder.path, 'started')));
    child.kill('SIGKILL');
    await once(child, 'exit');
    process.kill(Number(readFileSync(join(folder.path, 'started'), 'utf8')), 'SIGKILL');

    expect(run({ probe: ['touch', 'again'] }).exit).toBe(3);
    expect(existsSync(join(folder.path, 'again'))).toBe(false);
  });

  it('starts only after its grant is durable', () => {
    const ledger = join('.drift', 'check', ledgerName('publish-42'), '1.json');

    expect(run({ probe: ['grep', '-c', '"checks_for_state":1', ledger] })).toMatchObject({
      exit: 0,
      stdout: '1\n',
    });
  });

  it("passes a signal on and waits for the probe's own end", async () => {
    const child = startDrift(
      words({ probe: ['sh', '-c', 'trap "exit 42" TERM; touch ready; while :; do sleep 0.05; done'] }),
      { cwd: folder.path },
    );
    await until(() => existsSync(join(folder.path, 'ready')));
    child.kill('SIGTERM');

    expect(await once(child, 'exit')).toEqual([42, null]);
  });
});

describe('callers at the same time', () => {
  const race = async (callers: number) => {
    mkdirSync(join(folder.path, '.drift'), { recursive: true });
    const children = Array.from({ length: callers }, () =>
      startDrift(words({ probe: ['sh', '-c', 'echo x >> grants'] }), { cwd: folder.path }),
    );
    const exits = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    return exits.toSorted();
  };

  it('get the check of one state exactly once', async () => {
    expect(await race(6)).toEqual([0, 3, 3, 3, 3, 3]);
    expect(readFileSync(join(folder.path, 'grants'), 'utf8')).toBe('x\n');
    expect(answer()).toMatchObject({ checks_for_state: 7 });
  });

  it('get it once even when the lock is torn away all the time', async () => {
    const lock = join(folder.path, '.drift', 'check', ledgerName('publish-42'), 'lock');
    const tearing = setInterval(() => rmSync(lock, { recursive: true, force: true }), 5);
    const exits = await race(6);
    clearInterval(tearing);

    expect(exits.filter((exit) => exit === 0)).toHaveLength(1);
    expect(readFileSync(join(folder.path, 'grants'), 'utf8')).toBe('x\n');
  });
});

describe('a ledger that cannot be used', () => {
  const refused = (more: readonly string[] = []) => {
    const { exit } = run({ more, probe: ['touch', 'started'] });
    expect(existsSync(join(folder.path, 'started'))).toBe(false);
    return exit;
  };

  it('starts nothing and exits 5 when the state folder is a file', () => {
    writeFileSync(join(folder.path, 'file'), '');

    expect(refused(['--state-dir', 'file'])).toBe(5);
    expect(documentOf(run({ more: ['--state-dir', 'file', '--json'] }))).toMatchObject({
      ok: false,
      error: { reason: 'ledger_unavailable' },
    });
  });

  it.each([
    ['damaged', (text: string) => text.slice(0, 40)],
    ['of another version', (text: string) => text.replace('drift_check_ledger_v1', 'drift_check_ledger_v9')],
  ])('starts nothing and exits 5 when it is %s', (_name, damage) => {
    run();
    const file = join(folder.path, '.drift', 'check', ledgerName('publish-42'), '1.json');
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    chmodSync(file, 0o600);

    expect(refused()).toBe(5);
  });
});

describe('a declared wait', () => {
  const waiting = () => isWaiting(join(folder.path, '.drift'));

  it('is marked while a required dependency is pending, and unmarked when it is not', () => {
    expect(waiting()).toBe(false);
    run();
    expect(waiting()).toBe(true);
    run({ id: 'other', semantic: { n: 1 } });
    run({ dependency: 'succeeded', action: 'advance' });
    expect(waiting()).toBe(true);
    runDrift(['check', 'reset', '--id', 'other', '--reason', 'not needed'], { cwd: folder.path });
    expect(waiting()).toBe(false);
  });

  it('is none when the dependency is not required, or has failed', () => {
    run({ id: 'a', required: false });
    run({ id: 'b', dependency: 'failed' });

    expect(waiting()).toBe(false);
  });
});

describe('drift check --transcript', () => {
  const judge = (turns: unknown, json = true) => {
    writeFileSync(join(folder.path, 'run.json'), JSON.stringify({ case_id: 'run', turns }));
    return runDrift(['check', '--transcript', 'run.json', ...(json ? ['--json'] : [])], { cwd: folder.path });
  };
  const turn = (kind: string, deliverable = 'in_progress', required = true) => ({
    observation: {
      stage: 'build',
      deliverable_state: deliverable,
      dependency_state: 'pending',
      dependency_required_for_next_stage: required,
      semantic_state: {},
    },
    action: { kind },
  });

  it.each([
    ['passes', [turn('check'), turn('deliver')], 0, { passed: true, checks_for_state: 1 }],
    ['denies', [turn('check'), turn('check')], 3, { failed_rule: 'identical_repoll', failed_turn: 1 }],
    ['denies stuck work in', [turn('work'), turn('work')], 3, { failed_rule: 'stuck_work', failed_turn: 1 }],
    [
      'demands the finish in',
      [turn('check', 'accepted', false)],
      4,
      { failed_rule: 'must_finish', failed_turn: 0 },
    ],
  ])('%s a run', (_name, turns, exit, document) => {
    const judged = judge(turns);

    expect(judged.exit).toBe(exit);
    expect(documentOf(judged)).toMatchObject({ schema: 'drift_check_transcript_v1', ...document });
    expect(existsSync(join(folder.path, '.drift'))).toBe(false);
  });

  it.each([['dance', 'turns.0.action.kind']])('refuses a run whose action is %s', (kind, field) => {
    const refused = judge([turn(kind)]);

    expect(refused.exit).toBe(2);
    expect(documentOf(refused)).toMatchObject({ ok: false, error: { reason: 'json_invalid', field } });
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}
