import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { basisText, driftProgram, filesBelow, makeRig, namesIn, run } from '../support/rig.ts';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('drift init', () => {
  it('prints the baseline and leaves the workspace alone', async () => {
    const rig = await makeRig({ files: { 'a.py': 'x = 1\n', 'src/b.ts': 'let y;\n' }, init: false });

    const ended = await rig.drift([...rig.initWords, '--json']);

    expect(ended.rc).toBe(0);
    expect(JSON.parse(ended.out)).toEqual({
      status: 'baseline_created',
      goal_id: 'demo-goal',
      scope_file_count: 2,
      receipts: 'goal_runtime',
      contract_revision: sha(basisText),
      authority: 'none',
    });
    expect(namesIn(rig.work)).toEqual(['a.py', 'src']);
  });

  it.each(['0000', '0777', '0027'])('keeps its files private under umask %s', async (umask) => {
    const rig = await makeRig({ init: false });

    const ended = await run([
      'sh',
      '-c',
      `umask ${umask}; exec "$@"`,
      'sh',
      driftProgram,
      ...rig.initWords,
      '--state-dir',
      rig.state,
    ]);

    expect(ended.rc).toBe(0);
    expect(filesBelow(rig.state).filter(({ mode }) => mode !== '600')).toEqual([]);
  });

  it('takes the goal from words, names it after the workspace and keeps a private runtime', async () => {
    const rig = await makeRig({ init: false });

    const ended = await rig.drift([
      'init',
      '--objective',
      'Retry',
      '--acceptance',
      'Three tries',
      '--path',
      'a.txt',
      '--json',
    ]);

    expect(JSON.parse(ended.out)).toMatchObject({ goal_id: 'work', receipts: 'private_runtime' });
    expect(JSON.parse(readFileSync(join(rig.state, 'basis.json'), 'utf8'))).toEqual({
      objective: 'Retry',
      acceptance: ['Three tries'],
    });
  });

  it('declares what a pattern matches, and refuses one that matches nothing', async () => {
    const rig = await makeRig({
      init: false,
      files: { 'src/a.ts': '1', 'src/deep/b.ts': '2', 'src/c.md': '3' },
      paths: [],
    });

    const none = await rig.drift([...rig.initWords, '--glob', 'lib/**/*.ts', '--json']);
    const some = await rig.drift([...rig.initWords, '--glob', 'src/**/*.ts', '--json']);

    expect(none.rc).toBe(2);
    expect(JSON.parse(none.out).error).toMatchObject({
      reason: 'glob_matches_nothing',
      field: 'lib/**/*.ts',
    });
    expect(JSON.parse(some.out)).toMatchObject({ scope_file_count: 2 });
  });

  it('never overwrites an observer, and archives it when asked to replace it', async () => {
    const rig = await makeRig();
    await rig.refresh('echo two > a.txt');

    const again = await rig.drift(rig.initWords);
    const replaced = await rig.drift([...rig.initWords, '--replace', '--json']);
    await rig.refresh('echo three > a.txt');

    expect(again).toMatchObject({ rc: 2, err: expect.stringContaining('state_exists') });
    expect(JSON.parse(replaced.out).repin_command).toContain(
      `--progress-review-contract-revision ${sha(basisText)}`,
    );
    expect(
      existsSync(join(JSON.parse(replaced.out).archived_to, 'ev', '00000000', '000000000001.json')),
    ).toBe(true);
    expect((await rig.status()).events.map(({ sequence }) => sequence)).toEqual([1]);
  });

  it('binds another worktree to the same goal with --like', async () => {
    const rig = await makeRig();
    const other = join(rig.dir, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'a.txt'), 'one\n');

    const ended = await rig.drift([
      'init',
      '--json',
      '--like',
      rig.state,
      '--workspace',
      other,
      '--state-dir',
      join(other, '.drift'),
    ]);

    expect(JSON.parse(ended.out)).toMatchObject({
      goal_id: 'demo-goal',
      contract_revision: sha(basisText),
      receipts: 'goal_runtime',
    });
  });

  it.each([
    ['a duplicate key', '{"objective":"x","acceptance":["y"],"objective":"z"}', 'json_invalid', 'objective'],
    ['an unknown key', '{"objective":"x","acceptance":["y"],"non_goal":["q"]}', 'basis_invalid', 'non_goal'],
    ['no criterion', '{"objective":"x","acceptance":[]}', 'basis_invalid', 'acceptance'],
    ['a blank objective', '{"objective":" ","acceptance":["y"]}', 'basis_invalid', 'objective'],
  ])('refuses a basis with %s and leaves nothing behind', async (_, basis, reason, field) => {
    const rig = await makeRig({ init: false, basis });

    const ended = await rig.drift([...rig.initWords, '--json']);

    expect(ended.rc).toBe(2);
    expect(JSON.parse(ended.out).error).toMatchObject({
      reason,
      field,
      file: expect.stringContaining('basis.json'),
    });
    expect(existsSync(rig.state)).toBe(false);
  });

  it.each([
    ['../outside.txt', 'it leads upward'],
    ['/etc/hostname', 'it is absolute'],
    ['.git/config', 'it lies in .git'],
    ['link.txt', 'it is a symbolic link'],
    ['dir-link/in.txt', 'a folder on the way is a symbolic link'],
    ['folder', 'it is not a regular file'],
    ['', 'it is empty'],
  ])('refuses the declared path "%s": %s', async (path, detail) => {
    const rig = await makeRig({
      init: false,
      files: { 'a.txt': 'x\n', 'folder/in.txt': 'y\n' },
      paths: ['a.txt', path],
    });
    symlinkSync('a.txt', join(rig.work, 'link.txt'));
    symlinkSync('folder', join(rig.work, 'dir-link'));

    const ended = await rig.drift(rig.initWords);

    expect(ended.rc).toBe(2);
    expect(ended.err).toContain(detail);
    expect(existsSync(rig.state)).toBe(false);
  });

  it('uses a configuration that exists, in place, and refuses a broken one', async () => {
    const rig = await makeRig({ init: false });
    const config = join(rig.dir, 'mine.json');
    writeFileSync(config, '{"schema_version":"drift_config_v1","mode":"shadow","evaluater":"structural"}');
    const broken = await rig.drift([...rig.initWords, '--config', config, '--json']);
    writeFileSync(config, '{"schema_version":"drift_config_v1","scope":{"max_files":3}}');

    const good = await rig.drift([...rig.initWords, '--config', config]);

    expect(JSON.parse(broken.out).error).toMatchObject({
      reason: 'config_invalid',
      field: 'evaluater',
      file: config,
    });
    expect(good.rc).toBe(0);
    expect(existsSync(join(rig.state, 'config.json'))).toBe(false);
  });

  it('refuses more files than the scope holds', async () => {
    const rig = await makeRig({ init: false, files: { 'a.txt': '1', 'b.txt': '2' } });
    const config = join(rig.dir, 'mine.json');
    writeFileSync(config, '{"schema_version":"drift_config_v1","scope":{"max_files":1}}');

    const ended = await rig.drift([...rig.initWords, '--config', config]);

    expect(ended).toMatchObject({ rc: 2, err: expect.stringContaining('too_many_files') });
    expect(existsSync(rig.state)).toBe(false);
  });
});
