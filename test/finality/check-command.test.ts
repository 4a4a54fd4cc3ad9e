import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ledgerName } from '../../src/finality/check-ledger.ts';
import { isWaiting } from '../../src/spool/waiting.ts';
import { callDrift, documentOf } from '../support/call-drift.ts';
import { temporaryFolder } from '../support/rig.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

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
const check = (call?: Call) => callDrift(words(call), { cwd: folder });
const drift = (...args: string[]) => callDrift(args, { cwd: folder });
const answer = async (call: Call = {}) =>
  documentOf(await check({ ...call, more: [...(call.more ?? []), '--json'] }));

describe('drift check', () => {
  it('allows the first look, denies the second at the same state, and allows one at a new cursor', async () => {
    const first = await answer({
      semantic: { cursor: 1 },
      more: ['--volatile', '{"at":"09:00","request_id":"a"}'],
    });
    const second = await answer({
      semantic: { cursor: 1 },
      more: ['--volatile', '{"at":"09:05","request_id":"b"}'],
    });
    const third = await answer({ semantic: { cursor: 2 } });

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

  it('counts a denied check too, and denies a state that is left and entered again', async () => {
    await check({ semantic: { at: 'a' } });
    await check({ semantic: { at: 'b' } });

    expect(await answer({ semantic: { at: 'a' } })).toMatchObject({ decision: 'deny', checks_for_state: 2 });
    expect(await answer({ semantic: { at: 'a' } })).toMatchObject({
      decision: 'deny',
      checks_for_state: 3,
      identical_repolls: 2,
    });
  });

  it('denies the same work twice on one state, and allows another kind of action', async () => {
    expect((await check({ action: 'work' })).exit).toBe(0);
    expect(await answer({ action: 'work' })).toMatchObject({ decision: 'deny', reason: 'stuck_work' });
    expect(await answer({ action: 'escalate' })).toMatchObject({ decision: 'allow', reason: 'not_blocking' });
  });

  it.each([
    [{ dependency: 'pending', required: false }, 'dependency_not_required'],
    [{ dependency: 'running', required: true }, 'not_blocking'],
    [{ dependency: 'failed', required: true }, 'first_observation'],
  ])('allows a first check of %j as %s', async (call, reason) => {
    expect(await answer(call)).toMatchObject({ decision: 'allow', reason });
  });

  it('demands the finish of what is accepted with nothing required, without starting the probe', async () => {
    const call = { deliverable: 'accepted', required: false, probe: ['touch', 'started'] };

    expect(await check(call)).toMatchObject({ exit: 4, stdout: '' });
    expect(existsSync(join(folder, 'started'))).toBe(false);
    expect(await answer({ ...call, more: ['--json'] })).toMatchObject({
      decision: 'must_finish',
      reason: 'accepted_without_dependency',
      allowed_actions: ['advance', 'deliver', 'complete'],
    });
  });

  it('keeps complete from a run with an open required dependency, in whichever stage it is', async () => {
    await check({ stage: 'build' });

    expect(await answer({ stage: 'build', action: 'complete' })).toMatchObject({
      decision: 'deny',
      reason: 'required_dependency_open',
    });
    expect((await check({ stage: 'ship', required: false, action: 'complete' })).exit).toBe(3);
    expect((await check({ stage: 'build', dependency: 'succeeded', action: 'advance' })).exit).toBe(0);
    expect((await check({ stage: 'ship', required: false, action: 'complete' })).exit).toBe(0);
  });

  it('holds a stage to whether its dependency was required at first, until a reset', async () => {
    await check();

    const changed = await check({ required: false, more: ['--json'] });
    expect(changed.exit).toBe(2);
    expect(documentOf(changed)).toMatchObject({
      ok: false,
      error: { reason: 'dependency_contract_changed' },
    });
    expect((await check({ stage: 'another', required: false })).exit).toBe(0);
    expect((await drift('check', 'reset', '--id', 'publish-42', '--reason', 'new plan')).exit).toBe(0);
    expect((await check({ required: false })).exit).toBe(0);
  });

  it('keeps all nine fields of the entry, and remembers the ones that a call leaves out', async () => {
    const told = ['--expect', 'a release id', '--escalate-when', 'unchanged for a day', '--output', 'log/7'];
    await answer({ semantic: { cursor: 1 }, more: [...told, '--status', 'queued'] });
    const { entry } = await answer({ semantic: { cursor: 2 } });

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
    const shown = documentOf(await drift('check', 'show', '--id', 'publish-42', '--json'));
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
  ])('refuses %s with exit 2 and records nothing', async (_name, more, reason) => {
    const json = more.at(-1) === '--' ? ['--json', ...more] : [...more, '--json'];
    const refused = await check({ more: json });

    expect(refused.exit).toBe(2);
    expect(documentOf(refused)).toMatchObject({ ok: false, error: { reason } });
    expect(await answer()).toMatchObject({ decision: 'allow', checks_for_state: 1 });
  });

  it('reads the semantic state from a file', async () => {
    writeFileSync(join(folder, 'state.json'), '{"cursor": 1}');
    const named = words().map((word) => (word === '{}' ? '@state.json' : word));
    const fromFile = documentOf(await drift(...named, '--json'));

    expect(fromFile.entry.normalized_state.semantic_state).toEqual({ cursor: 1 });
  });

  it('makes a private state folder that git ignores', async () => {
    await check();
    const state = join(folder, '.drift');
    const ledger = join(state, 'check', ledgerName('publish-42'), '1.json');

    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(ledger).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(state, '.gitignore'), 'utf8')).toBe('*\n');
  });

  it.each([
    ['show', '--id', 'x'],
    ['reset', '--id', 'x', '--reason', 'y'],
    ['--transcript', 'run.json'],
  ])('takes no probe with %s', async (...args) => {
    expect(await drift('check', ...args, '--', 'true')).toMatchObject({ exit: 2, stdout: '' });
  });

  it('shows and resets only what there is', async () => {
    for (const args of [['show'], ['reset', '--reason', 'y']]) {
      const refused = await drift('check', ...args, '--id', 'nobody', '--json');

      expect(refused.exit).toBe(2);
      expect(documentOf(refused).error.reason).toBe('entry_not_found');
    }
    expect((await drift('check', 'show')).exit).toBe(2);
    expect((await drift('check', 'reset', '--id', 'x')).exit).toBe(2);
  });

  it('names no host, scheduler or vendor in its help', async () => {
    const { stdout } = await drift('check', '--help');

    expect(stdout).not.toMatch(/claude|codex|loopx|\bpi\b|github|cron|systemd|kubernetes|jenkins/i);
    expect(stdout.match(/^ {2}drift check/gm)).toHaveLength(2);
  });
});

describe('a ledger that cannot be used', () => {
  it('exits 5 when the state folder is a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    const refused = await check({ more: ['--state-dir', 'file', '--json'] });

    expect(refused.exit).toBe(5);
    expect(documentOf(refused)).toMatchObject({ ok: false, error: { reason: 'ledger_unavailable' } });
  });

  it.each([
    ['damaged', (text: string) => text.slice(0, 40)],
    ['of another version', (text: string) => text.replace('drift_check_ledger_v1', 'drift_check_ledger_v9')],
  ])('exits 5 when it is %s, and leaves it as it is', async (_name, damage) => {
    await check();
    const file = join(folder, '.drift', 'check', ledgerName('publish-42'), '1.json');
    const damaged = damage(readFileSync(file, 'utf8'));
    writeFileSync(file, damaged);

    expect((await check()).exit).toBe(5);
    expect(readFileSync(file, 'utf8')).toBe(damaged);
  });
});

describe('a declared wait', () => {
  const waiting = () => isWaiting(join(folder, '.drift'));

  it('is marked while a required dependency is pending, and unmarked when it is not', async () => {
    expect(waiting()).toBe(false);
    await check();
    expect(waiting()).toBe(true);
    await check({ id: 'other', semantic: { n: 1 } });
    await check({ dependency: 'succeeded', action: 'advance' });
    expect(waiting()).toBe(true);
    await drift('check', 'reset', '--id', 'other', '--reason', 'not needed');
    expect(waiting()).toBe(false);
  });

  it('is none when the dependency is not required, or has failed', async () => {
    await check({ id: 'a', required: false });
    await check({ id: 'b', dependency: 'failed' });

    expect(waiting()).toBe(false);
  });
});

describe('drift check --transcript', () => {
  const judge = (turns: unknown) => {
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ case_id: 'run', turns }));
    return drift('check', '--transcript', 'run.json', '--json');
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
  ])('%s a run', async (_name, turns, exit, document) => {
    const judged = await judge(turns);

    expect(judged.exit).toBe(exit);
    expect(documentOf(judged)).toMatchObject({ schema: 'drift_check_transcript_v1', ...document });
    expect(existsSync(join(folder, '.drift'))).toBe(false);
  });

  it.each([['dance', 'turns.0.action.kind']])('refuses a run whose action is %s', async (kind, field) => {
    const refused = await judge([turn(kind)]);

    expect(refused.exit).toBe(2);
    expect(documentOf(refused)).toMatchObject({ ok: false, error: { reason: 'json_invalid', field } });
  });
});
