import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDrainMode } from '../../src/drain/drain-mode.ts';
import { openPool } from '../../src/fleet/database/connect.ts';
import { composeBatch } from '../../src/fleet/host/batch.ts';
import { pushBatch } from '../../src/fleet/host/push-batch.ts';
import { nodeIo } from '../../src/spool/spool-io.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import {
  type FleetDatabase,
  type FleetHost,
  fleetHost,
  fleetServer,
  hasPostgres,
  workOnce,
} from '../support/fleet.ts';

const server = fleetServer();

/** Three turns on top of the first checkpoint: entries 0 to 3. */
async function hostWithBacklog(name = 'north'): Promise<FleetHost> {
  const host = await fleetHost(name);
  for (const n of [1, 2, 3]) await host.turn(`t-${n}`, `x = ${n}\n`);
  return host;
}

const storedSequences = async ({ rows }: FleetDatabase): Promise<number[]> =>
  (await rows<{ host_seq: string }>('SELECT host_seq FROM drift_fleet.event ORDER BY goal_seq')).map(
    ({ host_seq }) => Number(host_seq),
  );

const verdicts = (host: FleetHost) => host.receipts().map(({ sequence, reason }) => [sequence, reason]);
const judged = [1, 2, 3].map((sequence) => [sequence, 'structural_unproven']);

describe.skipIf(!hasPostgres)('when the network or the server fails', () => {
  it('says that the database does not answer, keeps the spool and lets refresh go on', async () => {
    const host = await hostWithBacklog();
    const refused = await host.ship({ DRIFT_DATABASE_URL: 'postgres://postgres@127.0.0.1:1/fleet' });
    await host.turn('t-4', 'x = 4\n');

    expect(refused.outcome).toMatchObject({
      ok: false,
      failure: { reason: 'database_unreachable', detail: 'ECONNREFUSED' },
    });
    expect(host.receipts().map(({ reason }) => reason)).toEqual(Array(4).fill('pending_evaluation'));
    expect((await host.ship((await server.database()).env)).outcome).toMatchObject({ value: { shipped: 5 } });
  });

  it.each([
    ['before COMMIT reaches the server', 'before_commit', []],
    ['after COMMIT, before its reply arrives', 'after_commit', [0, 1, 2, 3]],
  ] as const)('stores every event once when the connection is lost %s', async (_when, cut, stored) => {
    const database = await server.database();
    const proxy = await cuttingProxy(server.running().socket);
    const env = { DRIFT_DATABASE_URL: proxy.url(database.name) };
    const host = await hostWithBacklog();

    proxy.cutNext(cut);
    const lost = await host.ship(env);
    expect(lost.outcome).toMatchObject({ ok: false, failure: { reason: 'database_unreachable' } });
    expect(proxy.cuts()).toBe(1);
    expect(await storedSequences(database)).toEqual(stored);

    expect((await host.ship(env)).outcome).toMatchObject({ ok: true, value: { unshipped: 0 } });
    expect(await storedSequences(database)).toEqual([0, 1, 2, 3]);
    await workOnce(database.env);
    await host.ship(env);
    expect(verdicts(host)).toEqual(judged);
  });

  it('loses and doubles nothing however often the connection breaks, on either side of the exchange', async () => {
    const database = await server.database();
    const proxy = await cuttingProxy(server.running().socket);
    const env = { DRIFT_DATABASE_URL: proxy.url(database.name) };
    const host = await fleetHost('north');
    for (let n = 1; n <= 24; n += 1) {
      await host.turn(`t-${n}`, `x = ${n}\n`);
      proxy.cutNext({ afterBytes: n * 331 });
      await host.ship(env);
      if (n % 4 === 0) await workOnce({ DRIFT_DATABASE_URL: proxy.url(database.name) });
    }
    proxy.cutNext(null);
    await host.ship(env);
    await workOnce(database.env, { leaseMs: 1 });
    await host.ship(env);

    expect(proxy.cuts()).toBeGreaterThan(10);
    expect(await storedSequences(database)).toEqual(Array.from({ length: 25 }, (_, n) => n));
    expect(verdicts(host)).toEqual(Array.from({ length: 24 }, (_, n) => [n + 1, 'structural_unproven']));
  });

  it('goes on where it was when the server has stopped without warning', async () => {
    const database = await server.database();
    const host = await hostWithBacklog();
    await server.running().halt();
    const down = await host.ship(database.env);
    await server.running().start();

    expect(down.outcome).toMatchObject({ ok: false, failure: { reason: 'database_unreachable' } });
    await host.ship(database.env);
    await workOnce(database.env);
    await host.ship(database.env);
    expect(verdicts(host)).toEqual(judged);
  });

  it('keeps watching through an outage and says so', async () => {
    const database = await server.database();
    const proxy = await cuttingProxy(server.running().socket);
    const host = await hostWithBacklog();
    const stop = new AbortController();
    proxy.cutNext('before_commit');
    const watching = host.ship(
      { DRIFT_DATABASE_URL: proxy.url(database.name) },
      { watchMs: 0, pollMs: 10, signal: stop.signal },
    );
    await expect.poll(() => storedSequences(database), { timeout: 20_000 }).toHaveLength(4);
    stop.abort();

    const { outcome, notices } = await watching;
    expect(outcome).toMatchObject({ ok: true, value: { status: 'shipped', shipped: 4 } });
    expect(notices).toMatchObject([{ notice: 'database_unreachable', retry_ms: 20 }]);
  });
});

describe.skipIf(!hasPostgres)("when the shipper's own record is wrong", () => {
  it.each([
    ['is lost', (host: FleetHost) => rmSync(join(host.state, 'shipped'))],
    ['was rolled back', (host: FleetHost) => cpSync(join(host.folder, 'older'), join(host.state, 'shipped'))],
  ])('pushes nothing again when it %s', async (_what, damage) => {
    const database = await server.database();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 1\n');
    await host.ship(database.env);
    cpSync(join(host.state, 'shipped'), join(host.folder, 'older'));
    await host.turn('t-2', 'x = 2\n');
    await host.ship(database.env);
    damage(host);

    const again = await host.ship(database.env);
    expect(again).toMatchObject({ outcome: { ok: true, value: { shipped: 0, unshipped: 0 } }, notices: [] });
    expect(await storedSequences(database)).toEqual([0, 1, 2]);
  });

  it('changes nothing by pushing a batch that is stored', async () => {
    const database = await server.database();
    const host = await hostWithBacklog();
    await host.ship(database.env);
    const loaded = host.loaded();
    const mode = readDrainMode(loaded.layout);
    const opened = await openPool({
      env: database.env,
      variable: 'DRIFT_DATABASE_URL',
      name: 'test',
      maxConnections: 1,
    });
    if (!opened.ok || !mode.ok || mode.value.mode !== 'shipped') throw new Error('not shipped');

    const batch = composeBatch(nodeIo, loaded, { from: 1, tail: 3 });
    const pushed = await pushBatch(opened.value, { io: nodeIo, loaded, spoolId: mode.value.spool_id }, batch);
    await opened.value.end();

    expect(pushed).toBe('stored');
    expect(await storedSequences(database)).toEqual([0, 1, 2, 3]);
  });

  it('refuses to leave a gap', async () => {
    const database = await server.database();
    const host = await fleetHost('north');
    await host.ship(database.env);
    for (const n of [1, 2, 3]) await host.turn(`t-${n}`, `x = ${n}\n`);
    const loaded = host.loaded();
    const mode = readDrainMode(loaded.layout);
    const opened = await openPool({
      env: database.env,
      variable: 'DRIFT_DATABASE_URL',
      name: 'test',
      maxConnections: 1,
    });
    if (!opened.ok || !mode.ok || mode.value.mode !== 'shipped') throw new Error('not shipped');

    const batch = composeBatch(nodeIo, loaded, { from: 2, tail: 3 });
    const pushed = await pushBatch(opened.value, { io: nodeIo, loaded, spoolId: mode.value.spool_id }, batch);
    await opened.value.end();

    expect(pushed).toBe('moved');
    expect(await storedSequences(database)).toEqual([0]);
  });
});

describe.skipIf(!hasPostgres)('when one side was restored from a backup', () => {
  const backUp = (host: FleetHost): void =>
    cpSync(host.state, join(host.folder, 'backup'), { recursive: true, preserveTimestamps: true });
  const restore = (host: FleetHost): void => {
    rmSync(host.state, { recursive: true });
    cpSync(join(host.folder, 'backup'), host.state, { recursive: true, preserveTimestamps: true });
  };
  const spools = ({ rows }: FleetDatabase) =>
    rows('SELECT first_seq, last_seq FROM drift_fleet.spool ORDER BY registered_at');

  it('notices a host whose spool went back, keeps both courses and goes on under a new id', async () => {
    const database = await server.database();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 1\n');
    await host.ship(database.env);
    backUp(host);
    for (const n of [2, 3]) await host.turn(`t-${n}`, `x = ${n}\n`);
    await host.ship(database.env);
    restore(host);
    await host.turn('t-4', 'x = 4\n');

    const { outcome, notices } = await host.ship(database.env);
    expect(notices).toEqual([{ notice: 'spool_restored', agreed_through: 1, stored_through: 3 }]);
    expect(outcome).toMatchObject({ ok: true, value: { shipped: 1, unshipped: 0 } });
    expect(await storedSequences(database)).toEqual([0, 1, 2, 3, 2]);
    expect(await spools(database)).toEqual([
      { first_seq: '0', last_seq: '3' },
      { first_seq: '2', last_seq: '2' },
    ]);

    await workOnce(database.env);
    await host.ship(database.env);
    expect(verdicts(host)).toEqual(judged.slice(0, 2));
    expect(await database.rows('SELECT count(*)::int FROM drift_fleet.receipt')).toEqual([{ count: 4 }]);
    expect((await host.ship(database.env)).notices).toEqual([]);
  });

  it('notices it even before anything new was captured', async () => {
    const database = await server.database();
    const host = await fleetHost('north');
    backUp(host);
    await host.turn('t-1', 'x = 1\n');
    await host.ship(database.env);
    restore(host);

    const { notices } = await host.ship(database.env);
    expect(notices).toEqual([{ notice: 'spool_restored', agreed_through: 0, stored_through: 1 }]);
  });

  it('keeps a copied state directory apart from the original', async () => {
    const database = await server.database();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 1\n');
    await host.ship(database.env);
    backUp(host);
    await host.turn('t-2', 'x = 2\n');
    await host.ship(database.env);
    const original = join(host.folder, 'original');
    cpSync(host.state, original, { recursive: true, preserveTimestamps: true });
    restore(host);
    for (const n of [5, 6]) await host.turn(`t-${n}`, `x = ${n}\n`);
    expect((await host.ship(database.env)).notices).toHaveLength(1);
    rmSync(host.state, { recursive: true });
    cpSync(original, host.state, { recursive: true, preserveTimestamps: true });
    await host.turn('t-3', 'x = 3\n');

    expect(await host.ship(database.env)).toMatchObject({ outcome: { value: { shipped: 1 } }, notices: [] });
    expect(await storedSequences(database)).toEqual([0, 1, 2, 2, 3, 3]);
  });

  it('sends again what a restored database has lost', async () => {
    const database = await server.database();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 1\n');
    await host.ship(database.env);
    await database.rows('CREATE TABLE kept AS SELECT * FROM drift_fleet.spool');
    await host.turn('t-2', 'x = 2\n');
    await host.ship(database.env);
    await database.rows('DELETE FROM drift_fleet.event WHERE host_seq = 2');
    await database.rows(
      'UPDATE drift_fleet.spool s SET last_seq = k.last_seq, last_digest = k.last_digest FROM kept k WHERE k.spool_id = s.spool_id',
    );

    const { outcome, notices } = await host.ship(database.env);
    expect(notices).toEqual([{ notice: 'database_restored', stored_through: 1, shipped_through: 2 }]);
    expect(outcome).toMatchObject({ ok: true, value: { shipped: 1 } });
    expect(await storedSequences(database)).toEqual([0, 1, 2]);
    expect((await host.ship(database.env)).notices).toEqual([]);
  });
});
