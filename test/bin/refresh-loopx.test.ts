import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeRig, type Rig } from '../support/rig.ts';

const stub = fileURLToPath(new URL('../../fixtures/loopx/loopx', import.meta.url));

interface Call {
  readonly turn?: string;
  readonly how?: string;
  /** Words after the subcommand. */
  readonly more?: readonly string[];
  readonly program?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function call(rig: Rig, { turn = 'turn-1', how = '', more = [], program = ['loopx'], env = {} }: Call = {}) {
  const identity = [
    '--goal-id',
    rig.goal,
    '--agent-id',
    'worker',
    '--turn-instance-id',
    turn,
    '--todo-id',
    'todo_1',
  ];
  const words = ['refresh-state', '--runtime-root', rig.runtime, ...identity, ...more];
  return rig.drift(['refresh', '--agent-id', 'somebody-else', '--', ...program, ...words], {
    env: { PATH: `${dirname(stub)}:${process.env['PATH']}`, STUB: how, ...env },
  });
}

const turns = (rig: Rig) => rig.receipts().map(({ run }) => run.turn_instance_id);

describe('a LoopX host', () => {
  it('binds the event to what the run record says, whatever the options say', async () => {
    const rig = await makeRig();
    rig.write('a.txt', 'two\n');

    const ended = await call(rig);

    expect(JSON.parse(ended.out).appended).toBe(true);
    expect(rig.receipts()[0]?.run).toMatchObject({
      turn_instance_id: 'turn-1',
      agent_id: 'worker',
      todo_id: 'todo_1',
    });
    expect(rig.receipts()[0]?.run.generated_at).toBe(rig.rows()[0]?.generated_at);
  });

  it('gets no second row in its index', async () => {
    const rig = await makeRig();

    await call(rig);

    expect(rig.rows()).toHaveLength(1);
  });

  it('is recognised when the program is left out', async () => {
    const rig = await makeRig();

    const ended = await call(rig, { program: [] });

    expect(JSON.parse(ended.out).appended).toBe(true);
    expect(turns(rig)).toEqual(['turn-1']);
  });

  it.each<[string, Call, number | string]>([
    ['a dry run', { more: ['--dry-run'] }, 0],
    ['an idempotent retry', { how: 'replay' }, 0],
    ['a JSON refusal', { how: 'fail' }, 1],
    ['an argparse error', { how: 'argparse' }, 2],
    ['a run of another goal', { how: 'othergoal' }, 0],
  ])('makes no event of %s; the next good run carries the whole change', async (_, how, rc) => {
    const rig = await makeRig();
    rig.write('a.txt', 'two\n');

    const ended = await call(rig, how);
    const none = turns(rig);
    await call(rig, { turn: 'turn-2' });

    expect(ended.rc).toBe(rc);
    expect(none).toEqual([]);
    expect(rig.receipts().map(({ run, reason }) => [run.turn_instance_id, reason])).toEqual([
      ['turn-2', 'pending_evaluation'],
    ]);
  });

  it.each([
    ['one row', 'markdown', ['turn-1']],
    ["one row and another agent's", 'foreign', ['turn-1']],
    ['one row and a bookkeeping row', 'spend', ['turn-1']],
    ['two rows', 'tworows', []],
  ])('decides by the index when the output is no JSON: %s', async (_, how, expected) => {
    const rig = await makeRig();
    rig.write('a.txt', 'two\n');

    const ended = await call(rig, { how });

    expect(ended.out).toBe('# Refresh\n\n- appended: true\n');
    expect(turns(rig)).toEqual(expected);
  });

  it.each([
    ['with a duplicate key', 'duplicate_key'],
    ['that is cut off', 'cut'],
  ])('does not trust a document %s, but the row that was added', async (_, how) => {
    const rig = await makeRig();
    rig.write('a.txt', 'two\n');

    await call(rig, { how });

    expect(turns(rig)).toEqual(['turn-1']);
  });

  it('counts a run record that is gone as a failed capture', async () => {
    const rig = await makeRig();
    rig.write('a.txt', 'two\n');

    const ended = await call(rig, { how: 'vanished' });

    expect(ended.rc).toBe(0);
    expect((await rig.status()).capture_failures.by_reason).toEqual({ run_unreadable: 1 });
  });

  it('refuses files that change while the command runs, and resets the baseline after that', async () => {
    const rig = await makeRig();
    rig.write('a.txt', 'two\n');
    await call(rig, { env: { STUB_EDIT: join(rig.work, 'a.txt') } });

    await call(rig, { turn: 'turn-2' });

    expect((await rig.status()).capture_failures.by_reason).toEqual({ changed_during_command: 1 });
    expect(rig.receipts().map(({ reason }) => reason)).toEqual(['baseline_reset']);
  });

  it('only passes through what is no refresh', async () => {
    const rig = await makeRig();
    await rig.drift(['configure', 'host=loopx', '--execute']);

    const ended = await rig.drift(['refresh', '--', 'echo', 'hello']);

    expect(ended).toEqual({ rc: 0, out: 'hello\n', err: '' });
    expect(rig.receipts()).toEqual([]);
  });
});
