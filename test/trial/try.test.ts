import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { columnsOf } from '../../src/surfaces/cli/render/fit.ts';
import { driftProgram, git, makeRig, type Rig, run } from '../support/rig.ts';

const client = (name: string, tries: string): string =>
  `def load(url):\n    ${name} = open_url(url)\n    return ${name}.read()\n\n\nTRIES = ${tries}\n`;

interface Tried {
  readonly verdict: string;
  readonly events: { readonly run: { turn_instance_id: string }; readonly drift_signal: { noul: unknown } }[];
  readonly replay: { readonly commits: { turn: string; subject: string; changes: { path: string }[] }[] };
}

async function commit(rig: Rig, subject: string): Promise<void> {
  await git(rig.work, 'add', '-A');
  const ended = await git(rig.work, 'commit', '-q', '-m', subject);
  expect(ended).toMatchObject({ rc: 0 });
}

const tried = async (rig: Rig, words: string[], cwd = rig.work): Promise<Tried> => {
  const ended = await run([driftProgram, 'try', '--json', ...words], { cwd });
  expect(ended).toMatchObject({ rc: 0 });
  return JSON.parse(ended.out);
};

describe('drift try', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await makeRig({
      files: { 'src/client.py': client('handle', '3'), 'notes.txt': 'none\n' },
      git: true,
      init: false,
    });
    rig.write('src/client.py', client('stream', '3'));
    await commit(rig, 'Rename for clarity');
    rig.write('src/client.py', client('stream', '5'));
    await commit(rig, 'Try five times');
    rig.write('notes.txt', 'some\n');
    await commit(rig, 'Write notes');
  });

  it('flags the commit that only renamed and leaves the one that changed behaviour undecided', async () => {
    const { replay, events } = await tried(rig, ['--since', 'HEAD~3', '--path', 'src']);

    expect(replay.commits.map(({ subject }) => subject)).toEqual(['Rename for clarity', 'Try five times']);
    expect(events.map(({ drift_signal }) => drift_signal.noul)).toEqual([null, true]);
  });

  it('starts from nothing where a commit has no parent', async () => {
    const { replay, events } = await tried(rig, ['--path', 'src']);

    expect(replay.commits.map(({ subject }) => subject)).toEqual([
      'start',
      'Rename for clarity',
      'Try five times',
    ]);
    expect(events).toHaveLength(3);
  });

  it('reads paths from where it is called', async () => {
    const { replay } = await tried(rig, ['--glob', '*.py'], join(rig.work, 'src'));

    expect(replay.commits.flatMap(({ changes }) => changes.map(({ path }) => path))).toEqual([
      'client.py',
      'client.py',
      'client.py',
    ]);
  });

  it('takes a merge as one change and leaves symbolic links out', async () => {
    await git(rig.work, 'checkout', '-q', '-b', 'side', 'HEAD~2');
    rig.write('src/more.py', 'A = 1\n');
    symlinkSync('client.py', join(rig.work, 'src/link.py'));
    await commit(rig, 'Add a module');
    await git(rig.work, 'checkout', '-q', 'main');
    await git(rig.work, 'merge', '-q', '--no-ff', '-m', 'Merge side', 'side');

    const { replay } = await tried(rig, ['--since', 'HEAD~1', '--path', 'src']);

    expect(replay.commits).toMatchObject([{ subject: 'Merge side', changes: [{ path: 'src/more.py' }] }]);
  });

  it('runs no program that the repository names, and changes nothing in it', async () => {
    const trap = join(rig.dir, 'trap');
    writeFileSync(trap, `#!/bin/sh\ntouch '${rig.dir}/sprung'\ncat\n`);
    chmodSync(trap, 0o755);
    rig.write('.gitattributes', '*.py diff=trap filter=trap\n');
    for (const key of ['diff.trap.textconv', 'diff.trap.command', 'diff.external', 'filter.trap.smudge'])
      await git(rig.work, 'config', key, trap);
    for (const key of ['core.fsmonitor', 'core.pager', 'core.sshCommand'])
      await git(rig.work, 'config', key, trap);
    const before = readdirSync(join(rig.work, '.git')).sort();

    await tried(rig, ['--since', 'HEAD~3', '--path', 'src']);

    expect(existsSync(join(rig.dir, 'sprung'))).toBe(false);
    expect(readdirSync(join(rig.work, '.git')).sort()).toEqual(before);
    expect(readdirSync(rig.work).sort()).toEqual(['.git', '.gitattributes', 'notes.txt', 'src']);
  });

  it('leaves no temporary folder behind, unless it is asked to', async () => {
    const temporary = join(rig.dir, 'tmp');
    mkdirSync(temporary);
    const words = [driftProgram, 'try', '--since', 'HEAD~3', '--path', 'src'];
    const left = (): number => readdirSync(temporary).length;

    await run(words, { cwd: rig.work, env: { TMPDIR: temporary } });
    const afterwards = left();
    await run([...words, '--keep'], { cwd: rig.work, env: { TMPDIR: temporary } });

    expect([afterwards, left()]).toEqual([0, 1]);
  });

  it('says in its first lines what was proven, and prints the status', async () => {
    const ended = await run([driftProgram, 'try', '--since', 'HEAD~3', '--path', 'src'], { cwd: rig.work });

    expect(ended.out).toMatch(/^1 of 2 commits are proven churn; 1 undecided, 0 not evaluated\.\n/);
    expect(ended.out).toContain('Rename for clarity');
    expect(ended.out).toContain('\nUNDECIDED (');
    expect(Math.max(...ended.out.split('\n').map(columnsOf))).toBeLessThanOrEqual(80);
  });

  it.each([
    ['no path', ['--since', 'HEAD~1'], 'path'],
    ['a revision that is not there', ['--since', 'nowhere', '--path', 'src'], null],
    ['an option in place of a revision', ['--since=--output=x', '--path', 'src'], 'since'],
    ['files that nobody touched', ['--since', 'HEAD~1', '--path', 'src'], 'since'],
  ])('refuses %s', async (_what, words, field) => {
    const ended = await run([driftProgram, 'try', '--json', ...words], { cwd: rig.work });

    expect(ended.rc).toBe(2);
    expect(JSON.parse(ended.out).error.field).toBe(field);
  });

  it('says so outside a repository', async () => {
    const ended = await run([driftProgram, 'try', '--json', '--path', 'x'], { cwd: rig.dir });

    expect(ended.rc).toBe(2);
    expect(JSON.parse(ended.out).error.reason).toBe('git_failed');
  });
});
