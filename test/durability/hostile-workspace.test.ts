import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, git, makeRig, namesIn, type Rig, run } from '../support/rig.ts';

const failures = async (rig: Rig) => (await rig.status()).capture_failures.by_reason;
const reasons = (rig: Rig) => rig.receipts().map(({ reason }) => reason);

describe('a hostile workspace', () => {
  it.each([
    ['a pipe', 'rm a.txt; mkfifo a.txt'],
    ['a device', 'rm a.txt; mknod a.txt c 1 5 2>/dev/null || mkfifo a.txt'],
    [
      'a socket',
      `rm a.txt; ${process.execPath} -e "require('net').createServer().listen('a.txt',()=>process.kill(process.pid,9))"; test -S a.txt`,
    ],
  ])('with %s for a declared file never blocks', async (_name, script) => {
    const rig = await makeRig();
    const begin = performance.now();

    await rig.refresh(script);

    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(await failures(rig)).toEqual({ not_regular: 1 });
  });

  it.each([
    ['the file itself', 'd/a.txt', 'mv d/a.txt kept; ln -s ../kept d/a.txt'],
    ['its folder', 'd/a.txt', 'mv d e; ln -s e d'],
    ['a folder above it', 'd/e/a.txt', 'mv d f; ln -s f d'],
    ['a way out of the workspace', 'd/a.txt', 'rm -r d; ln -s / d'],
  ])('with a link for %s is a failed capture', async (_name, path, script) => {
    const rig = await makeRig({ files: { [path]: 'one\n' } });

    await rig.refresh(script);

    expect(await failures(rig)).toEqual({ symlink: 1 });
  });

  it('with a file of 10 GiB that holds nothing costs neither its time nor its memory', async () => {
    const rig = await makeRig();
    const begin = performance.now();

    await rig.refresh('truncate -s 10G a.txt; exit 3').then(({ rc }) => expect(rc).toBe(3));
    await rig.refresh('echo small > a.txt');

    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(filesBelow(rig.state).every(({ path }) => readFileSync(path).length < 1_000_000)).toBe(true);
    expect(reasons(rig)[0]).toMatch(/pending_evaluation|baseline_reset/);
    truncateSync(join(rig.work, 'a.txt'));
  });

  it('with a file that grows while it is read is read again, or is a failed capture', async () => {
    const rig = await makeRig();

    const ended = await rig.refresh(
      '(i=0; while [ $i -lt 300 ]; do echo line >> a.txt; i=$((i+1)); done) & exit 4',
    );
    await rig.refresh('sleep 0.5; echo end >> a.txt');

    expect(ended.rc).toBe(4);
    expect(Object.keys(await failures(rig)).every((reason) => reason === 'files_unstable')).toBe(true);
    expect(rig.receipts().length).toBeGreaterThan(0);
  });

  it('with .git as a file, as worktrees and submodules have it, tells a change of branch', async () => {
    const rig = await makeRig({ git: true });
    const tree = join(rig.dir, 'tree');
    await git(rig.work, 'worktree', 'add', '-q', '-b', 'side', tree);
    const state = join(rig.dir, 'tree-state');
    const at = ['--state-dir', state];
    await rig.drift(
      [
        'init',
        ...at,
        '--workspace',
        tree,
        '--basis',
        join(rig.dir, 'basis.json'),
        '--runtime-root',
        rig.runtime,
        '--goal-id',
        'tree',
        '--path',
        'a.txt',
      ],
      { cwd: tree },
    );
    const refresh = (script: string) =>
      rig.drift(['refresh', ...at, '--explain', '--', 'sh', '-c', script], { cwd: tree });

    const same = await refresh('echo two > a.txt');
    const other = await refresh('git checkout -q -b third 2>/dev/null; echo three > a.txt');

    expect(readFileSync(join(tree, '.git'), 'utf8')).toMatch(/^gitdir: /);
    expect([same.err, other.err]).toEqual([
      expect.stringContaining('(queued)'),
      expect.stringContaining('(branch_changed)'),
    ]);
  });

  it('with a git configuration that runs programs runs none of them', async () => {
    const rig = await makeRig({
      git: true,
      files: { 'a.txt': 'one\n', '.gitattributes': '* diff=evil filter=evil\n' },
      paths: ['a.txt'],
    });
    const trap = join(rig.dir, 'trap');
    writeFileSync(trap, `#!/bin/sh\ntouch ${rig.dir}/sprung\n`);
    chmodSync(trap, 0o755);
    for (const key of [
      'core.fsmonitor',
      'diff.external',
      'diff.evil.command',
      'diff.evil.textconv',
      'filter.evil.clean',
      'filter.evil.smudge',
      'core.pager',
      'core.hooksPath',
    ])
      execFileSync('git', ['-C', rig.work, 'config', key, trap]);

    await rig.refresh('echo two > a.txt');
    await rig.drain();
    const [receipt] = rig.receipts();
    await rig.drift(['show', receipt?.event_id ?? '']);
    await rig.drift(['doctor']);

    expect(receipt?.status).toBe('abstained');
    expect(existsSync(join(rig.dir, 'sprung'))).toBe(false);
  });

  it.each(['MERGE_HEAD', 'rebase-merge'])('with %s in .git is no turn of one branch', async (name) => {
    const rig = await makeRig({ git: true });
    const there = join(rig.work, '.git', name);
    if (name === 'MERGE_HEAD') writeFileSync(there, `${'0'.repeat(40)}\n`);
    else mkdirSync(there);

    await rig.refresh('echo two > a.txt');

    expect(reasons(rig)).toEqual(['branch_changed']);
  });

  it('with more entries than a walk may see fails the capture of a pattern, soon', async () => {
    const rig = await makeRig({
      files: { 'src/a.txt': 'one\n' },
      paths: [],
      args: ['--glob', 'src/**/*.txt'],
    });
    const begin = performance.now();

    await rig.refresh('mkdir src/many; cd src/many; seq 1 25000 | xargs touch');

    expect(performance.now() - begin).toBeLessThan(20_000);
    expect(await failures(rig)).toEqual({ glob_over_limit: 1 });
  });

  it('with CRLF, a BOM and names that normalise alike keeps every byte of them apart', async () => {
    const names = ['caf\u00e9.txt', 'cafe\u0301.txt'];
    const rig = await makeRig({ files: Object.fromEntries(names.map((name) => [name, 'one\r\n'])) });

    await rig.refresh(`printf '\\357\\273\\277two\\r\\n' > 'caf\u00e9.txt'`);
    const { processed } = await rig.drain();

    const stored = readFileSync(join(rig.state, 'ev', '00000000', '000000000001.json'));
    expect(processed).toHaveLength(1);
    expect(stored.subarray(-8).toString('latin1')).toBe('\xef\xbb\xbftwo\r\n');
  });

  it('that is replaced by a link is a failed capture', async () => {
    const rig = await makeRig();

    await rig.refresh(`cd ..; mv work other; ln -s other work`);

    expect(await failures(rig)).toEqual({ workspace_replaced: 1 });
  });
});

describe('what is private', () => {
  const secret = 'hunter2-in-a-word';

  it.each(['0000', '0777', '0027'])(
    'stays so under umask %s, after everything that writes',
    async (umask) => {
      const rig = await makeRig();
      const masked = (words: string) => run(['sh', '-c', `umask ${umask}; ${words}`], { cwd: rig.work });
      const drift = join(process.cwd(), 'bin', 'drift');
      const at = `--state-dir ${rig.state}`;

      await masked(`${drift} refresh ${at} --turn-id t -- sh -c 'umask 022; echo two > a.txt'`);
      await masked(`${drift} drain ${at}`);
      const [receipt] = rig.receipts();
      await masked(`${drift} label ${at} --event-id ${receipt?.event_id} --truth drift`);
      await masked(`${drift} purge ${at} --event ${receipt?.event_id}`);
      await masked(`${drift} configure ${at} minimum_label_probability=0.7 --execute`);

      const open = [...filesBelow(rig.state), ...filesBelow(rig.runtime)].filter(
        ({ mode }) => mode !== '600',
      );
      expect(receipt?.status).toBe('abstained');
      expect(open).toEqual([]);
    },
  );

  it('is no part of receipts, diagnostics, run records or anything that drift says', async () => {
    const rig = await makeRig();
    const said = [
      await rig.drift([
        'refresh',
        '--explain',
        '--turn-id',
        't',
        '--',
        'sh',
        '-c',
        `echo ${secret} > a.txt`,
        secret,
      ]),
      await rig.refresh('rm a.txt; mkfifo a.txt'),
      await rig.drift(['drain']),
      await rig.drift(['status']),
      await rig.drift(['doctor']),
    ];

    const readers = ['diagnostics.log', 'last-refresh.json', 'aggregate.json'].map((name) =>
      join(rig.state, name),
    );
    const files = [
      ...readers,
      ...filesBelow(rig.runtime).map(({ path }) => path),
      ...filesBelow(join(rig.state, 'rcpt')).map(({ path }) => path),
    ];
    expect(said.map(({ out, err }) => out + err).join()).not.toContain(secret);
    expect(files.filter((file) => existsSync(file) && readFileSync(file, 'utf8').includes(secret))).toEqual(
      [],
    );
    expect(namesIn(join(rig.state, 'ev'))).toEqual(['00000000']);
  });
});
