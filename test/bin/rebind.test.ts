import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driftProgram, makeRig, run } from '../support/rig.ts';

const words = ['--objective', 'Retry', '--acceptance', 'Three tries', '--path', 'a.txt'];

/** A workspace with its state, basis and runtime in `.drift/`, then renamed. */
async function makeMoved() {
  const rig = await makeRig({ init: false });
  const drift = (cwd: string, ...line: string[]) => run([driftProgram, ...line], { cwd });
  expect((await drift(rig.work, 'init', ...words)).rc).toBe(0);
  const moved = join(rig.dir, 'elsewhere');
  renameSync(rig.work, moved);
  return { moved, drift: (...line: string[]) => drift(moved, ...line), old: rig.work };
}

describe('drift rebind', () => {
  it('lets an observer that moved with its workspace go on, from a new baseline', async () => {
    const { drift, moved, old } = await makeMoved();
    expect(await drift('status')).toMatchObject({ rc: 2, err: expect.stringContaining('drift rebind') });

    const ended = await drift('rebind', '--workspace', '.', '--json');

    expect(JSON.parse(ended.out)).toMatchObject({
      schema: 'drift_rebind_v1',
      from: old,
      workspace: moved,
      runtime_root: join(moved, '.drift', 'runtime'),
      basis_file: join(moved, '.drift', 'basis.json'),
      epoch: 1,
    });
    await drift('refresh', '--', 'sh', '-c', 'echo two > a.txt');
    await drift('refresh', '--', 'sh', '-c', 'echo three > a.txt');
    const { events } = JSON.parse((await drift('status', '--json')).out);
    expect([events[0].status, events[1].reason]).toEqual(['queued', 'baseline_reset']);
    expect(JSON.parse((await drift('drain', '--json')).out)).toMatchObject({
      status: 'drained',
      remaining: 0,
    });
  });

  it('keeps the receipts and labels of before', async () => {
    const rig = await makeRig();
    await rig.refresh('echo two > a.txt');
    const [event] = (await rig.drain()).processed;
    await rig.drift(['label', '--event-id', event.event_id, '--truth', 'on_goal']);
    const moved = join(rig.dir, 'elsewhere');
    renameSync(rig.work, moved);

    const ended = await rig.drift(['rebind', '--workspace', moved], { cwd: moved });

    expect(ended.rc).toBe(0);
    const status = JSON.parse((await rig.drift(['status', '--json'], { cwd: moved })).out);
    expect(status).toMatchObject({ receipts_written: 1, label_counts: { on_goal: 1 } });
  });

  it.each([
    ['a folder without a declared file', 'empty', 'path_refused'],
    ['a folder that is not there', 'nowhere', 'workspace_unreadable'],
  ])('refuses %s and leaves the binding as it is', async (_, name, reason) => {
    const rig = await makeRig();
    mkdirSync(join(rig.dir, 'empty'));
    const before = readFileSync(join(rig.state, 'observer.json'), 'utf8');

    const ended = await rig.drift(['rebind', '--json', '--workspace', join(rig.dir, name)]);

    expect([ended.rc, JSON.parse(ended.out).error.reason]).toEqual([2, reason]);
    expect(readFileSync(join(rig.state, 'observer.json'), 'utf8')).toBe(before);
  });

  it('names the basis that did not come along', async () => {
    const { drift, moved } = await makeMoved();
    rmSync(join(moved, '.drift', 'basis.json'));

    const ended = await drift('rebind', '--json', '--workspace', '.');

    expect(JSON.parse(ended.out).error).toMatchObject({ reason: 'file_missing' });
  });
});
