import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callDrift, documentOf } from '../support/call-drift.ts';
import { fleetHost, fleetServer, hasPostgres } from '../support/fleet.ts';
import { driftProgram, makeRig, run, temporaryFolder } from '../support/rig.ts';

const server = fleetServer();
const root = dirname(dirname(driftProgram));

describe.skipIf(!hasPostgres)('the commands of a fleet', () => {
  it('lead from an empty database to a published receipt', async () => {
    const { rows, env } = await server.database();
    await rows('DROP SCHEMA drift_fleet CASCADE');
    await rows('DROP SCHEMA drift_fleet_jobs CASCADE');
    const host = await fleetHost('north', { join: false });
    const drift = (...args: string[]) =>
      callDrift(args, { cwd: host.workspace, env: { ...env, DRIFT_STATE_DIR: host.state } });
    await host.turn('t-1', 'x = 0  # a remark\n');

    expect(documentOf(await drift('fleet', 'migrate', '--json'))).toEqual({
      status: 'migrated',
      version: 1,
      applied: 1,
      roles_granted: 0,
    });
    expect(documentOf(await drift('fleet', 'join', '--json'))).toMatchObject({
      status: 'joined',
      first_sequence: 0,
    });
    expect(documentOf(await drift('drain', '--ship', '--json'))).toEqual({
      status: 'shipped',
      shipped: 2,
      received: [],
      unshipped: 0,
      awaiting: 1,
    });
    expect((await drift('fleet', 'status')).stdout.split('\n')[1]).toMatch(/^north +weather +0 +2 /);
    expect(documentOf(await drift('worker', '--once', '--json'))).toEqual({
      status: 'done',
      finished: 2,
      fenced: 0,
    });
    expect(documentOf(await drift('drain', '--ship', '--json'))).toMatchObject({
      received: [
        { status: 'completed', evaluator: 'structural', drift_signal: { noul: true, choice: true } },
      ],
      awaiting: 0,
    });
    const status = documentOf(await drift('fleet', 'status', '--json'));
    expect(status).toMatchObject({
      schema: 'drift_fleet_status_v1',
      spools: [
        {
          host: 'north',
          goal_id: 'weather',
          unshipped: 0,
          backlog: 0,
          oldest_age_seconds: null,
          dead_letters: 0,
        },
      ],
      workers: [{ worker_id: expect.stringContaining('/') }],
    });
    expect(status.spools[0].lag_seconds).toBeGreaterThan(0);
    expect(await drift('fleet', 'leave', '--json')).toMatchObject({ exit: 0 });
  });

  it('fit their status into 80 columns and say when nobody judges', async () => {
    const { env } = await server.database();
    const host = await fleetHost('a-host-with-quite-a-long-name.example', {
      goal: 'a goal of many words and more',
    });
    await host.ship(env);
    const { stdout } = await callDrift(['fleet', 'status'], { cwd: host.workspace, env: { ...env } });

    expect(stdout).toContain('no worker has been seen for five minutes');
    for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
  });

  it('refuse in their own words, with one document', async () => {
    const host = await fleetHost('north');
    const refuse = async (args: string[], env: Record<string, string> = {}) => {
      const ended = await callDrift([...args, '--json'], {
        cwd: host.workspace,
        env: { DRIFT_STATE_DIR: host.state, ...env },
      });
      return [ended.exit, documentOf(ended).error.reason];
    };
    const secret = 'postgres://me:s3cret@db.example/fleet';

    expect(await refuse(['drain'])).toEqual([2, 'drain_mode_shipped']);
    expect(await refuse(['drain', '--ship', '--max', '3'])).toEqual([2, 'usage']);
    expect(await refuse(['drain', '--ship'])).toEqual([2, 'database_url_invalid']);
    expect(await refuse(['worker', '--concurrency', '0'])).toEqual([2, 'usage']);
    expect(await refuse(['fleet', 'stauts'])).toEqual([2, 'usage']);
    expect(await refuse(['worker'], { DRIFT_DATABASE_URL: secret })).toEqual([2, 'database_unsafe']);
    const { stdout, stderr } = await callDrift(['fleet', 'status', '--json'], {
      cwd: host.workspace,
      env: { DRIFT_DATABASE_URL: secret },
    });
    expect(stdout + stderr).not.toContain('s3cret');
  });
});

describe('without the two packages that fleets need', () => {
  /** This program with every package but those two. */
  function withoutThem(): string {
    const copy = join(temporaryFolder(), 'drift');
    mkdirSync(join(copy, 'node_modules'), { recursive: true });
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules')))
      if (!['pg', 'graphile-worker'].includes(name) && !name.startsWith('.'))
        symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
    return join(copy, 'bin', 'drift');
  }

  it('everything else works, and the fleet says what to install', async () => {
    const drift = withoutThem();
    const { initWords, work, state } = await makeRig({ init: false, files: { 'a.py': 'x = 0\n' } });
    const env = { DRIFT_DATABASE_URL: 'postgres://me@localhost/fleet' };
    const call = (...words: string[]) =>
      run([drift, ...words, '--state-dir', state, '--json'], { cwd: work, env });

    expect((await call(...initWords)).rc).toBe(0);
    expect(
      (
        await run([drift, 'refresh', '--state-dir', state, '--', 'sh', '-c', 'echo "x = 1" > a.py'], {
          cwd: work,
        })
      ).rc,
    ).toBe(0);
    expect(JSON.parse((await call('drain')).out)).toMatchObject({
      status: 'drained',
      processed: [{ status: 'abstained' }],
    });
    expect((await call('fleet', 'join')).rc).toBe(0);
    for (const words of [['drain', '--ship'], ['worker'], ['fleet', 'status'], ['fleet', 'migrate']]) {
      const { rc, out } = await call(...words);
      expect([words, rc, JSON.parse(out).error.reason]).toEqual([words, 2, 'package_missing']);
      expect(JSON.parse(out).error.hint).toContain('npm install pg@');
    }
  });
});
