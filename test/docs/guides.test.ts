import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePage, readPage, root } from '../support/markdown.ts';
import { type Ended, run, temporaryFolder } from '../support/rig.ts';

const basis = '{"objective": "Downloads survive a failing server", "acceptance": ["At most three tries"]}\n';

/** A repository at `<folder>/first` with some files in it. */
function makeRepository(files: Readonly<Record<string, string>>): string {
  const work = join(temporaryFolder(), 'first');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
    if (path.endsWith('.sh')) chmodSync(join(work, path), 0o755);
  }
  return work;
}

const git =
  'git init -q && git add -A && git -c user.name=x -c user.email=x@example.invalid commit -qm start';

/** The shell lines of a section, as printed, but for those that stay until Ctrl-C. */
function linesOf(page: string, section: string): string {
  const blocks = parsePage(readPage(page)).blocks.filter((block) => block.section === section);
  const lines = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  if (lines.length === 0) throw new Error(`${page} has no commands under ${section}`);
  return lines.join('\n').replaceAll(/^drift dashboard .*$/gm, 'true');
}

const type = (cwd: string, ...lines: readonly string[]): Promise<Ended> =>
  run(['bash', '-e'], {
    cwd,
    env: { PATH: `${join(root, 'bin')}:${process.env['PATH']}` },
    input: `${lines.join('\n')}\n`,
  });

const source = (name: string): string => `def wait(tries):\n    ${name} = 2 ** tries\n    return ${name}\n`;

describe('commands of the guides, as printed', () => {
  it('drive an agent in a shell loop', async () => {
    const work = makeRepository({
      'goal.json': basis,
      'src/wait.py': source('delay'),
      'prompt.md': 'Go on.\n',
      'accepted.sh': '#!/bin/sh\ntest -e third\n',
      'agent.sh': '#!/bin/sh\ncat >> seen; sed "s/delay/delay_/g" src/wait.py > w && mv w src/wait.py\n',
      'refresh.sh':
        '#!/bin/sh\necho refreshed; test -e first && { test -e second && > third; > second; }; > first\n',
    });

    const { rc, out, err } = await type(
      work,
      git,
      'drift init --goal-id downloads --basis goal.json --glob "src/**"',
      linesOf('docs/adoption.md', 'A shell loop'),
      'drift status --json > status.json; node -p "JSON.parse(fs.readFileSync(\'status.json\')).drift_counts.noul"',
    );

    expect(err).not.toMatch(/error|bug/i);
    expect([rc, out.trim().split('\n').at(-1)]).toEqual([0, '3']);
  });

  it('observe a goal of LoopX, as far as its stand-in goes', async () => {
    const registry = { schema_version: '0.1', goals: [{ id: 'downloads', guards: [] }] };
    const standIn = join(root, 'fixtures', 'loopx', 'loopx');
    const work = makeRepository({
      'goal.json': basis,
      'src/wait.py': source('delay'),
      '.loopx/registry.json': JSON.stringify(registry, null, 2),
      'tools/loopx.sh': `#!/bin/sh\nexec '${standIn}' "$@" --runtime-root ../runtime\n`,
    });

    const { rc, out, err } = await type(
      work,
      'ln -s loopx.sh tools/loopx; export PATH="$PWD/tools:$PATH"',
      linesOf('docs/adoption.md', 'LoopX'),
      'cat .loopx/registry.json; drift status',
    );

    expect(rc, err).toBe(0);
    expect(out.match(/"appended": true/g)).toHaveLength(2);
    expect(out).toMatch(/"mode": "shadow"/);
    expect(out).toContain('transitions  no delta 2');
    expect(
      existsSync(join(dirname(work), 'runtime', 'goals', 'downloads', 'progress-review', 'receipts')),
    ).toBe(true);
  });

  it('put the hooks of Claude Code into the project and take them out again', async () => {
    const work = makeRepository({ 'goal.json': basis, 'src/wait.py': source('delay') });
    const settings = join(work, '.claude', 'settings.json');

    const { rc, out, err } = await type(
      work,
      linesOf('docs/adoption.md', 'Claude Code'),
      'echo \'{"hook_event_name":"Stop","session_id":"s","cwd":"\'"$PWD"\'"}\' | drift hook claude-code',
      'drift status',
      'cat .claude/settings.json; drift hook uninstall --host claude-code --execute',
    );

    expect(rc, err).toBe(0);
    expect(out).toContain('Nothing is written yet');
    expect(out).toContain('transitions  no delta 1');
    expect(out).toContain('"UserPromptSubmit"');
    expect(existsSync(settings) ? readFileSync(settings, 'utf8') : '').not.toContain('drift');
  });

  it('observe one goal from two worktrees', async () => {
    const work = makeRepository({ 'goal.json': basis, 'src/wait.py': source('delay') });

    const { rc, out, err } = await type(
      work,
      git,
      linesOf('docs/recipes.md', 'Several agents, several worktrees, one goal'),
    );

    expect(rc, err).toBe(0);
    expect(out.match(/^Observing goal downloads/gm)).toHaveLength(2);
    expect(out.match(/^goal +downloads/gm)).toHaveLength(2);
  });

  it('observe two goals in one repository', async () => {
    const work = makeRepository({
      'downloads.json': basis,
      'billing.json': basis,
      'src/net/wait.py': source('delay'),
      'src/billing/total.py': source('sum'),
      'refresh.sh': '#!/bin/sh\necho refreshed\n',
    });

    const { rc, out, err } = await type(
      work,
      git,
      linesOf('docs/recipes.md', 'Several goals in one repository'),
      'git status --short',
    );

    expect(rc, err).toBe(0);
    expect(out.match(/^Observing goal (?:downloads|billing)/gm)).toHaveLength(2);
    expect(out.match(/^refreshed$/gm)).toHaveLength(2);
    expect(out.trim().split('\n').at(-1)).toBe('refreshed');
  });

  it('follow a workspace that was moved, and take drift out of it', async () => {
    const work = makeRepository({ 'goal.json': basis, 'src/wait.py': source('delay') });

    const { rc, out, err } = await type(
      work,
      'drift init --goal-id downloads --basis goal.json --glob "src/**"',
      'mv ../first ../moved && cd ../moved',
      linesOf('docs/upgrade.md', 'Move a workspace'),
      'drift refresh -- true && drift status',
      linesOf('docs/upgrade.md', 'Uninstall'),
    );

    expect(rc, err).toBe(0);
    expect(out).toContain('UNOBSERVED (a new baseline, nothing to compare with)');
    expect(existsSync(join(dirname(work), 'moved', '.drift'))).toBe(false);
  });

  it('gate a next step', async () => {
    const work = makeRepository({
      'src/wait.py': source('delay'),
      'next-step.sh': '#!/bin/sh\necho next\n',
      'package.json': '{"scripts": {"test": "true"}}\n',
    });
    const lines = linesOf('docs/recipes.md', 'Gate a next step').split('\n');

    const { out } = await type(
      work,
      'set +e',
      'drift init --goal-id downloads --objective o --acceptance a --path src/wait.py',
      ...lines.map((line) => `${line}; echo "exit $?"`),
    );

    expect(out.match(/^exit \d+$/gm)).toEqual(['exit 0', 'exit 1', 'exit 2', 'exit 0']);
  });
});
