import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, makeRig, namesIn } from '../support/rig.ts';

/** An observer with a receipt, a label, a policy in a LoopX registry and hooks beside a setting of somebody else's. */
async function makeInstalled() {
  const rig = await makeRig();
  const registry = join(rig.work, '.loopx', 'registry.json');
  const settings = join(rig.work, '.claude', 'settings.json');
  for (const file of [registry, settings]) mkdirSync(join(file, '..'), { recursive: true });
  const bare = `${JSON.stringify({ schema_version: '0.1', goals: [{ id: rig.goal, guards: [] }] }, null, 2)}\n`;
  const own = `${JSON.stringify({ model: 'large' }, null, 2)}\n`;
  writeFileSync(registry, bare);
  writeFileSync(settings, own);
  await rig.refresh('echo two > a.txt');
  const [event] = (await rig.drain()).processed;
  await rig.drift(['label', '--event-id', event.event_id, '--truth', 'drift']);
  const mode = ['--progress-review-mode', 'shadow'];
  await rig.drift(['configure-goal', '--goal-id', rig.goal, ...mode, '--execute']);
  await rig.drift(['hook', 'install', '--host', 'claude-code', '--execute']);
  expect(readFileSync(registry, 'utf8')).not.toBe(bare);
  expect(readFileSync(settings, 'utf8')).not.toBe(own);
  const home = { HOME: rig.dir, CODEX_HOME: '' };
  return {
    ...rig,
    registry,
    settings,
    bare,
    own,
    uninstall: (...words: string[]) => rig.drift(['uninstall', ...words], { env: home }),
  };
}

describe('drift uninstall', () => {
  it('only shows what would go, and what stays', async () => {
    const rig = await makeInstalled();
    const before = filesBelow(rig.dir).map(({ path }) => [path, readFileSync(path, 'latin1')]);

    const ended = await rig.uninstall('--json');

    expect(JSON.parse(ended.out)).toMatchObject({
      schema: 'drift_uninstall_v1',
      executed: false,
      policy: rig.registry,
      hooks: rig.settings,
      state: rig.state,
      labels: 1,
      kept: { strangers: [], runtime_root: rig.runtime, hooks: null },
    });
    expect(filesBelow(rig.dir).map(({ path }) => [path, readFileSync(path, 'latin1')])).toEqual(before);
  });

  it('removes hooks, policy block and state, and nothing else', async () => {
    const rig = await makeInstalled();

    const ended = await rig.uninstall('--execute');

    expect(ended.rc).toBe(0);
    expect(existsSync(rig.state)).toBe(false);
    expect(readFileSync(rig.registry, 'utf8')).toBe(rig.bare);
    expect(readFileSync(rig.settings, 'utf8')).toBe(rig.own);
    expect(rig.receipts()).toHaveLength(1);
    const refresh = await rig.refresh('echo still runs');
    expect([refresh.rc, refresh.out]).toEqual([0, 'still runs\n']);
    expect(existsSync(rig.state)).toBe(false);
  });

  it('leaves what is not its own in the state directory, and names it', async () => {
    const rig = await makeInstalled();
    writeFileSync(join(rig.state, 'notes.txt'), 'mine');

    const ended = await rig.uninstall('--execute');

    expect(ended.out).toContain(`stays     ${rig.state}/notes.txt`);
    expect(namesIn(rig.state)).toEqual(['notes.txt']);
  });

  it('leaves nothing of a registry of its own, nor what a killed process left beside it', async () => {
    const rig = await makeRig();
    const mode = ['--progress-review-mode', 'shadow'];
    await rig.drift(['configure-goal', '--goal-id', rig.goal, ...mode, '--execute']);
    expect(namesIn(rig.state)).toContain('registry.json');
    mkdirSync(join(rig.state, 'registry.json.lock'));

    expect((await rig.drift(['uninstall', '--execute'])).rc).toBe(0);
    expect(existsSync(rig.state)).toBe(false);
  });

  it('works where the basis is gone', async () => {
    const rig = await makeInstalled();
    rmSync(join(rig.dir, 'basis.json'));

    expect((await rig.uninstall('--execute')).rc).toBe(0);
    expect(existsSync(rig.state)).toBe(false);
  });

  it('names hooks of the user that serve other projects too, and leaves them', async () => {
    const rig = await makeInstalled();
    const codex = join(rig.dir, '.codex', 'hooks.json');
    await rig.drift(['hook', 'install', '--host', 'codex', '--execute'], {
      env: { HOME: rig.dir, CODEX_HOME: '' },
    });
    const before = readFileSync(codex, 'utf8');

    const ended = await rig.uninstall('--execute', '--json');

    expect(JSON.parse(ended.out).kept.hooks).toBe(codex);
    expect(readFileSync(codex, 'utf8')).toBe(before);
  });

  it('refuses while a drain is at work, with everything as it was', async () => {
    const rig = await makeInstalled();
    mkdirSync(join(rig.state, 'drain.lock'));

    const ended = await rig.uninstall('--execute', '--json');

    expect(JSON.parse(ended.out).error).toMatchObject({ reason: 'state_busy' });
    expect(existsSync(join(rig.state, 'observer.json'))).toBe(true);
    expect(readFileSync(rig.registry, 'utf8')).not.toBe(rig.bare);
    expect(readFileSync(rig.settings, 'utf8')).not.toBe(rig.own);
  });
});
