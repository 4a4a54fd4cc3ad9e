import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, git, makeRig, namesIn, type Rig, readLines } from '../support/rig.ts';

const outcomes = (rig: Rig) => rig.receipts().map(({ status, reason }) => [status, reason]);

describe('what becomes of a transition', () => {
  it('is queued with a pending receipt when a declared file changed', async () => {
    const rig = await makeRig();

    const ended = await rig.refresh('echo two > a.txt; echo out; echo err >&2; exit 7');

    expect(ended).toEqual({ rc: 7, out: 'out\n', err: 'err\n' });
    expect(outcomes(rig)).toEqual([['not_evaluated', 'pending_evaluation']]);
    expect(rig.rows()).toMatchObject([
      {
        goal_id: 'demo-goal',
        agent_id: 'worker',
        turn_instance_id: 'turn-1',
        command: { exit_code: 7, signal: null },
      },
    ]);
  });

  it('is no_delta when nothing declared changed', async () => {
    const rig = await makeRig({ files: { 'a.txt': 'one\n', 'b.txt': 'b\n' }, paths: ['a.txt'] });

    await rig.refresh('echo two > b.txt; touch a.txt');

    expect(outcomes(rig)).toEqual([['not_evaluated', 'no_delta']]);
  });

  it('is no event for the same turn again; the next turn carries the whole change', async () => {
    const rig = await makeRig();
    await rig.refresh('echo two > a.txt', { turnId: 't' });
    await rig.refresh('echo three > a.txt', { turnId: 't' });

    await rig.refresh('true', { turnId: 'u' });

    expect(rig.receipts().map(({ run }) => run.turn_instance_id)).toEqual(['t', 'u']);
    expect(outcomes(rig)[1]).toEqual(['not_evaluated', 'pending_evaluation']);
    expect((await rig.status()).counts).toMatchObject({ duplicate_event: 1, queued: 2 });
  });

  it('is a failed capture at a symbolic link, and a new baseline after that', async () => {
    const rig = await makeRig({ files: { 'a.txt': 'one\n', 'b.txt': 'b\n' } });
    await rig.refresh('mv b.txt kept; ln -s kept b.txt; echo two > a.txt');
    await rig.refresh('rm b.txt; mv kept b.txt');

    await rig.refresh('echo three > a.txt');

    expect(outcomes(rig)).toEqual([
      ['not_evaluated', 'baseline_reset'],
      ['not_evaluated', 'pending_evaluation'],
    ]);
    expect((await rig.status()).capture_failures).toEqual({ total: 1, by_reason: { symlink: 1 } });
  });

  it.each([
    ['a folder that is swapped for a link', 'mv d e; ln -s e d', 'symlink'],
    ['a pipe', 'rm d/a.txt; mkfifo d/a.txt', 'not_regular'],
    ['a folder in place of a file', 'rm d/a.txt; mkdir d/a.txt', 'not_regular'],
  ])('is a failed capture at %s', async (_, script, reason) => {
    const rig = await makeRig({ files: { 'd/a.txt': 'one\n' } });

    const ended = await rig.refresh(`${script}; exit 4`);

    expect(ended).toEqual({ rc: 4, out: '', err: '' });
    expect((await rig.status()).capture_failures.by_reason).toEqual({ [reason]: 1 });
  });

  it('is a failed capture when the change is larger than the scope allows, and then a new baseline', async () => {
    const rig = await makeRig({ init: false });
    writeFileSync(
      join(rig.dir, 'c.json'),
      '{"schema_version":"drift_config_v1","scope":{"max_delta_bytes":100}}',
    );
    const config = ['--config', join(rig.dir, 'c.json')];
    await rig.drift([...rig.initWords, ...config]);
    const refresh = (script: string) => rig.drift(['refresh', ...config, '--', 'sh', '-c', script]);
    await refresh('head -c 200 /dev/zero | tr "\\0" x > a.txt');
    await refresh('true');

    await refresh('echo small > a.txt');

    expect(outcomes(rig)).toEqual([
      ['not_evaluated', 'baseline_reset'],
      ['not_evaluated', 'pending_evaluation'],
    ]);
  });

  it('is branch_changed when HEAD names another ref, or a merge is under way', async () => {
    const rig = await makeRig({ git: true });
    await git(rig.work, 'checkout', '-q', '-b', 'other');
    await rig.refresh('echo two > a.txt');
    await rig.refresh('echo three > a.txt');
    writeFileSync(join(rig.work, '.git', 'MERGE_HEAD'), `${'0'.repeat(40)}\n`);

    await rig.refresh('echo four > a.txt');

    expect(outcomes(rig).map(([, reason]) => reason)).toEqual([
      'branch_changed',
      'pending_evaluation',
      'branch_changed',
    ]);
  });

  it('is taken from the files even when the command commits them', async () => {
    const rig = await makeRig({ git: true });

    await rig.refresh(
      'echo two > a.txt; git -c user.name=x -c user.email=x@example.invalid commit -qam work',
    );

    expect(outcomes(rig)).toEqual([['not_evaluated', 'pending_evaluation']]);
  });

  it('is an overlap for the wrapper that finishes later', async () => {
    const rig = await makeRig();
    const slow = rig.refresh('while [ ! -e ../go ]; do sleep 0.05; done; echo slow > a.txt', {
      turnId: 'slow',
    });
    await rig.refresh('sleep 0.3; echo fast > a.txt', { turnId: 'fast' });
    writeFileSync(join(rig.dir, 'go'), '');

    await slow;

    expect(rig.receipts().map(({ run, reason }) => [run.turn_instance_id, reason])).toEqual([
      ['fast', 'pending_evaluation'],
      ['slow', 'overlapping_captures'],
    ]);
  });

  it('is duplicate evidence when the same change was made before a reset', async () => {
    const rig = await makeRig();
    await rig.refresh('echo two > a.txt');
    await rig.drift(['configure', '--mode', 'off']);
    await rig.drift(['configure', '--mode', 'shadow']);
    await rig.refresh('echo one > a.txt');

    await rig.refresh('echo two > a.txt');

    expect(outcomes(rig).map(([, reason]) => reason)).toEqual([
      'pending_evaluation',
      'baseline_reset',
      'duplicate_evidence',
    ]);
  });

  it('counts an added, a deleted and a changed file of a pattern', async () => {
    const rig = await makeRig({
      files: { 'src/a.ts': '1\n', 'src/b.ts': '2\n' },
      paths: [],
      args: ['--glob', 'src/*.ts'],
    });

    await rig.refresh('echo 9 > src/a.ts; rm src/b.ts; echo 3 > src/c.ts; echo 4 > src/d.md');

    expect((await rig.status()).events[0]?.files).toEqual([
      { path: 'src/a.ts', change: 'modified' },
      { path: 'src/b.ts', change: 'deleted' },
      { path: 'src/c.ts', change: 'added' },
    ]);
  });

  it('counts a change of an evidence file', async () => {
    const basis = JSON.stringify({ objective: 'x', acceptance: ['y'], evidence: [{ ref: 'proof.json' }] });
    const rig = await makeRig({ files: { 'a.txt': 'one\n', 'proof.json': '{}\n' }, paths: ['a.txt'], basis });

    await rig.refresh('echo "{\\"ok\\": true}" > proof.json');

    expect((await rig.status()).events[0]?.files).toEqual([{ path: 'proof.json', change: 'modified' }]);
  });
});

describe('edits that nobody wrapped', () => {
  it('belong to the next turn, unless the owner absorbs them', async () => {
    const rig = await makeRig();
    rig.write('a.txt', 'edited between turns\n');
    await rig.refresh('true');
    rig.write('a.txt', "the owner's own edit\n");
    await rig.drift(['checkpoint', '--reason', 'my edit']);

    await rig.refresh('true');

    expect(outcomes(rig).map(([, reason]) => reason)).toEqual(['pending_evaluation', 'no_delta']);
  });
});

describe('a refresh that cannot record', () => {
  const expected = { rc: 5, out: 'o\n', err: 'e\n' };
  const script = 'echo o; echo e >&2; exit 5';

  it.each<[string, (rig: Rig) => void]>([
    ['has no state', (rig) => rmSync(rig.state, { recursive: true })],
    [
      'has a state that is a file',
      (rig) => {
        rmSync(rig.state, { recursive: true });
        writeFileSync(rig.state, 'x');
      },
    ],
    ['has a broken configuration', (rig) => writeFileSync(join(rig.state, 'config.json'), '{"mode": "sha')],
    [
      'has a configuration with an unknown key',
      (rig) => writeFileSync(join(rig.state, 'config.json'), '{"schema_version":"drift_config_v1","x":1}'),
    ],
    ['has a broken binding', (rig) => writeFileSync(join(rig.state, 'observer.json'), 'nonsense')],
    [
      'has a state of another version',
      (rig) => writeFileSync(join(rig.state, 'observer.json'), '{"schema_version":"drift_observer_v9"}'),
    ],
    ['has lost its chain', (rig) => rmSync(join(rig.state, 'ev'), { recursive: true })],
    ['has lost its workspace', (rig) => renameSync(rig.work, join(rig.dir, 'elsewhere'))],
    [
      'has a workspace that is a link now',
      (rig) => {
        renameSync(rig.work, join(rig.dir, 'real'));
        symlinkSync('real', rig.work);
      },
    ],
    [
      'has a runtime root that is a file',
      (rig) => {
        rmSync(rig.runtime, { recursive: true });
        writeFileSync(rig.runtime, 'x');
      },
    ],
    ['has lost its basis', (rig) => rmSync(join(rig.dir, 'basis.json'))],
    [
      'has a folder in place of its tally',
      (rig) => {
        rmSync(join(rig.state, 'tally'), { recursive: true });
        mkdirSync(join(rig.state, 'tally', 'symlink'), { recursive: true });
      },
    ],
  ])('is invisible when it %s', async (_, spoil) => {
    const rig = await makeRig();
    spoil(rig);

    expect(await rig.refresh(script, { cwd: rig.dir })).toEqual(expected);
  });

  it('only passes through when the mode is off', async () => {
    const rig = await makeRig();
    await rig.drift(['configure', '--mode', 'off']);
    const before = filesBelow(rig.state).map(({ path }) => path);

    expect(await rig.refresh(`echo two > a.txt; ${script}`)).toEqual(expected);
    expect(filesBelow(rig.state).map(({ path }) => path)).toEqual(before);
    expect(rig.rows()).toEqual([]);
  });

  it('says with --explain which state was found and why nothing was captured', async () => {
    const rig = await makeRig();
    writeFileSync(join(rig.state, 'config.json'), '{');

    const ended = await rig.drift(['refresh', '--explain', '--bogus', '--', 'true']);

    expect(ended).toMatchObject({ rc: 0, out: '' });
    expect(ended.err).toContain('unknown option --bogus');
    expect(ended.err).toContain('config_invalid');
  });

  it('leaves its diagnostics in a private, bounded file', async () => {
    const rig = await makeRig();
    const file = join(rig.state, 'diagnostics.log');
    writeFileSync(file, 'x'.repeat(70_000));
    chmodSync(file, 0o600);

    await rig.refresh('rm a.txt; mkdir a.txt');
    await rig.refresh('true');

    expect(namesIn(rig.state)).toContain('diagnostics.log.1');
    expect(readLines(file)).toEqual([expect.stringMatching(/^\d{4}-.* capture_failed not_regular$/)]);
  });
});

describe('identity', () => {
  it('comes from the environment when no option gives it', async () => {
    const rig = await makeRig();
    const env = { DRIFT_AGENT_ID: 'env-agent', DRIFT_TODO_ID: 'todo-9', DRIFT_TURN_ID: 'env-turn' };

    await rig.drift(['refresh', '--', 'sh', '-c', 'echo two > a.txt'], { env });

    expect(rig.receipts()[0]?.run).toMatchObject({
      agent_id: 'env-agent',
      todo_id: 'todo-9',
      turn_instance_id: 'env-turn',
    });
  });

  it('is not needed', async () => {
    const rig = await makeRig();

    await rig.drift(['refresh', '--', 'sh', '-c', 'echo two > a.txt']);

    expect(rig.receipts()[0]?.run).toMatchObject({ agent_id: null, todo_id: null, turn_instance_id: null });
  });

  it('is found upward from the working directory', async () => {
    const rig = await makeRig({ init: false, files: { 'deep/er/a.txt': 'one\n' } });
    await rig.drift([...rig.initWords, '--state-dir', join(rig.work, '.drift')]);
    const { run, driftProgram } = await import('../support/rig.ts');

    await run([driftProgram, 'refresh', '--', 'sh', '-c', 'echo two > a.txt'], {
      cwd: join(rig.work, 'deep', 'er'),
    });

    expect(rig.receipts().map(({ reason }) => reason)).toEqual(['pending_evaluation']);
  });
});
