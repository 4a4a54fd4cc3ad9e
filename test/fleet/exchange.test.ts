import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStatus } from '../../src/readmodel/status.ts';
import { fileNameOf, shardOf } from '../../src/spool/state-layout.ts';
import { fleetHost, fleetServer, hasPostgres, workOnce } from '../support/fleet.ts';

const server = fleetServer();

describe.skipIf(!hasPostgres)('an exchange between a host and the fleet', () => {
  it('ships what is queued, has it judged elsewhere and publishes the receipts that come back', async () => {
    const { env, rows } = await server.database();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 0  # a remark\n');
    await host.turn('t-2', 'x = 1\n');

    const sent = await host.ship(env);
    expect(sent.outcome).toMatchObject({
      ok: true,
      value: { status: 'shipped', shipped: 3, received: [], unshipped: 0, awaiting: 2 },
    });
    expect(host.receipts().map(({ reason }) => reason)).toEqual(['pending_evaluation', 'pending_evaluation']);
    expect(await workOnce(env)).toMatchObject({ ok: true, value: { finished: 3, fenced: 0 } });
    const got = await host.ship(env);

    expect(got.outcome).toMatchObject({ ok: true, value: { shipped: 0, unshipped: 0, awaiting: 0 } });
    expect(host.receipts().map(({ status, drift_signal }) => [status, drift_signal.noul])).toEqual([
      ['completed', true],
      ['abstained', null],
    ]);
    expect(await rows('SELECT goal_seq, host_seq, status FROM drift_fleet.receipt ORDER BY 1')).toEqual([
      { goal_seq: '2', host_seq: '1', status: 'completed' },
      { goal_seq: '3', host_seq: '2', status: 'abstained' },
    ]);
  });

  it('leaves a host in the state that a local drain would have left it in', async () => {
    const { env } = await server.database();
    const local = await fleetHost('north', { join: false });
    const shipped = await fleetHost('north');
    for (const host of [local, shipped])
      for (const [n, text] of ['x = 0  # a remark\n', 'x = 0  # a remark\n', 'x = 2\n'].entries())
        await host.turn(`t-${n}`, text);
    await local.drain();
    await shipped.ship(env);
    await workOnce(env);
    await shipped.ship(env);
    const [here, there] = await Promise.all(
      [local, shipped].map(async (host) => {
        const where = { env: {}, cwd: host.workspace };
        const status = await readStatus(host.loaded(), { all: true, now: Date.now(), where });
        const { verdict, because, counts, unevaluated, backlog, receipts_written } = status;
        const events = status.events.map(({ sequence, reason, judgments, facts }) => ({
          sequence,
          reason,
          judgments,
          facts,
        }));
        return { verdict, because, counts, unevaluated, backlog, receipts_written, events };
      }),
    );

    expect(here?.counts).toEqual({ completed: 1, abstained: 1, no_delta: 1 });
    expect(there).toEqual(here);
  });

  it('keeps one order per goal over several hosts, and each host its own', async () => {
    const { env, rows } = await server.database();
    const hosts = [await fleetHost('north'), await fleetHost('south')];
    for (let n = 1; n <= 3; n += 1)
      for (const host of hosts) {
        await host.turn(`t-${n}`, `x = ${n}\n`);
        await host.ship(env);
      }
    await workOnce(env);
    for (const host of hosts) await host.ship(env);

    const order = await rows<{ host: string; host_seq: string }>(
      `SELECT s.host, r.host_seq FROM drift_fleet.receipt r JOIN drift_fleet.spool s USING (spool_id)
       ORDER BY r.goal_seq`,
    );
    expect(order.map(({ host, host_seq }) => `${host} ${host_seq}`)).toEqual(
      [1, 2, 3].flatMap((n) => [`north ${n}`, `south ${n}`]),
    );
    for (const host of hosts)
      expect(host.receipts().map(({ sequence, status }) => [sequence, status])).toEqual([
        [1, 'abstained'],
        [2, 'abstained'],
        [3, 'abstained'],
      ]);
  });

  it('stores heads byte for byte, and each text of a goal once', async () => {
    const { env, rows } = await server.database();
    const files = { 'a.py': 'x = 0\n', 'näher.md': '# same\n' };
    const hosts = [await fleetHost('north', { files }), await fleetHost('south', { files })];
    for (const host of hosts) {
      await host.turn('t-1', 'x = 1\n');
      await host.ship(env);
    }
    const [stored] = await rows<{ head: string; digest: string }>(
      'SELECT head, digest FROM drift_fleet.event WHERE host_seq = 1 LIMIT 1',
    );
    const file = join(hosts[0]?.state ?? '', 'ev', shardOf(1), fileNameOf(1));
    const head = readFileSync(file, 'utf8').split('\n').slice(0, 2).join('\n');

    expect(stored?.head).toBe(`${head}\n`);
    expect(head.startsWith(`${stored?.digest} `)).toBe(true);
    expect(
      await rows('SELECT convert_from(bytes, $1) AS text FROM drift_fleet.content ORDER BY 1', ['UTF8']),
    ).toEqual([{ text: '# same\n' }, { text: 'x = 0\n' }, { text: 'x = 1\n' }]);
    expect(await workOnce(env)).toMatchObject({ value: { finished: 4 } });
    expect(await rows('SELECT DISTINCT reason FROM drift_fleet.receipt')).toEqual([
      { reason: 'structural_unproven' },
    ]);
  });

  it('takes only what it has not judged itself when a host joins late', async () => {
    const { env, rows } = await server.database();
    const host = await fleetHost('north', { join: false });
    await host.turn('t-1', 'x = 1\n');
    expect((await host.drain()).ok).toBe(true);
    await host.turn('t-2', 'x = 1  # said\n');
    await host.joinFleet();
    await host.ship(env);
    await workOnce(env);
    await host.ship(env);

    expect(await rows('SELECT host_seq, status FROM drift_fleet.receipt')).toEqual([
      { host_seq: '2', status: 'completed' },
    ]);
    expect(host.receipts().map(({ status }) => status)).toEqual(['abstained', 'completed']);
  });
});

describe.skipIf(!hasPostgres)('a host in the fleet', () => {
  it('is judged in one place only', async () => {
    const { env } = await server.database();
    const host = await fleetHost('north', { join: false });
    await host.turn('t-1', 'x = 1\n');
    expect((await host.ship(env)).outcome).toMatchObject({
      ok: false,
      failure: { reason: 'drain_mode_local' },
    });
    expect(await host.joinFleet()).toMatchObject({ ok: true, value: { status: 'joined' } });
    expect(await host.joinFleet()).toMatchObject({ ok: true, value: { status: 'already_joined' } });

    expect(await host.drain()).toMatchObject({ ok: false, failure: { reason: 'drain_mode_shipped' } });
    writeFileSync(join(host.state, 'mode'), '{"mode":"both"}');
    expect(await host.drain()).toMatchObject({ ok: false, failure: { reason: 'state_unreadable' } });
    expect((await host.ship(env)).outcome).toMatchObject({
      ok: false,
      failure: { reason: 'state_unreadable' },
    });
    expect(host.receipts().map(({ reason }) => reason)).toEqual(['pending_evaluation']);
  });

  it('leaves when nothing is outstanding, or when it gives up what is', async () => {
    const { env } = await server.database();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 1\n');
    await host.ship(env);
    expect(await host.leaveFleet(false)).toMatchObject({
      ok: false,
      failure: { reason: 'fleet_receipts_outstanding', detail: '1' },
    });
    expect(await host.leaveFleet(true)).toEqual({ ok: true, value: { status: 'left', abandoned: 1 } });

    expect(await host.drain()).toMatchObject({ ok: true, value: { status: 'drained', remaining: 0 } });
    expect(await host.leaveFleet(false)).toMatchObject({ ok: true, value: { status: 'not_joined' } });
    expect(host.receipts().map(({ status }) => status)).toEqual(['abstained']);
  });

  it('publishes as stale, and tells the history, what no longer speaks of its contract', async () => {
    const { env, rows } = await server.database();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 0  # a remark\n');
    await host.ship(env);
    await workOnce(env);
    await host.turn('t-2', 'x = 0  # another\n');
    const { basis_file: file } = host.loaded().observer;
    writeFileSync(file, readFileSync(file, 'utf8').replace('}', ' }'));
    await host.ship(env);
    await workOnce(env);
    await host.ship(env);

    expect(host.receipts().map(({ status, reason }) => [status, reason])).toEqual([
      ['stale', 'contract_revision_changed'],
      ['stale', 'contract_revision_changed'],
    ]);
    expect(await rows('SELECT status, withdrawn FROM drift_fleet.receipt ORDER BY goal_seq')).toEqual([
      { status: 'completed', withdrawn: 'contract_revision_changed' },
      { status: 'stale', withdrawn: 'contract_revision_changed' },
    ]);
  });

  it.each([
    [
      'is of another event',
      (entry: string) => entry.replace(/"event_id":"[0-9a-f]{64}"/, `"event_id":"${'0'.repeat(64)}"`),
    ],
    ['claims another signal', (entry: string) => entry.replace('"noul":true', '"noul":false')],
    ['is no JSON', () => '{"receipt":'],
  ])('publishes no verdict from a result that %s', async (_what, forge) => {
    const { env, rows } = await server.database();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 0  # a remark\n');
    await host.turn('t-2', 'x = 0  # another\n');
    await host.ship(env);
    await workOnce(env);
    const [stored] = await rows<{ entry: string }>(
      'SELECT entry FROM drift_fleet.receipt WHERE goal_seq = 2',
    );
    await rows('UPDATE drift_fleet.receipt SET entry = $1 WHERE goal_seq = 2', [forge(stored?.entry ?? '')]);
    await host.ship(env);

    expect(host.receipts().map(({ status, reason }) => [status, reason])).toEqual([
      ['failed', 'fleet_result_invalid'],
      ['completed', null],
    ]);
  });

  it('keeps the number of a damaged entry and goes on behind it', async () => {
    const { env, rows } = await server.database();
    const host = await fleetHost('north');
    for (const n of [1, 2, 3]) await host.turn(`t-${n}`, `x = ${n}\n`);
    truncateSync(join(host.state, 'ev', shardOf(2), fileNameOf(2)), 140);
    await host.ship(env);
    await workOnce(env);
    await host.ship(env);

    expect(host.receipts().map(({ sequence, reason }) => [sequence, reason])).toEqual([
      [1, 'structural_unproven'],
      [2, 'corrupt_event'],
      // What it started from stood in the damaged entry.
      [3, 'incomplete_coverage'],
    ]);
    expect(await rows('SELECT host_seq, reason FROM drift_fleet.receipt WHERE entry IS NULL')).toEqual([
      { host_seq: '2', reason: 'corrupt_event' },
    ]);
  });

  it('has its texts forgotten after the days that its owner set, and sends them again where they are needed', async () => {
    const { env, rows } = await server.database();
    const host = await fleetHost('north', { files: { 'a.py': 'x = 0\n', 'b.py': 'y = 0\n' } });
    await host.turn('t-1', 'x = 1\n');
    await host.ship(env);
    const days = await rows(
      'SELECT DISTINCT round(extract(epoch FROM keep_until - now()) / 86400)::int AS days FROM drift_fleet.content',
    );
    await workOnce(env);
    expect(await rows('SELECT drift_fleet.forget() AS gone')).toEqual([{ gone: 0 }]);
    await rows("UPDATE drift_fleet.content SET keep_until = now() - interval '1 second'");
    expect(await rows('SELECT drift_fleet.forget() AS gone')).toEqual([{ gone: 3 }]);
    await host.turn('t-2', 'x = 1  # remark\n');
    await host.ship(env);
    await workOnce(env);

    expect(days).toEqual([{ days: 31 }]);
    expect(await rows('SELECT status FROM drift_fleet.receipt ORDER BY goal_seq')).toEqual([
      { status: 'abstained' },
      { status: 'completed' },
    ]);
  });

  it('does nothing while it is switched off', async () => {
    const { env } = await server.database();
    const host = await fleetHost('north', { config: { mode: 'off' } });

    expect((await host.ship(env)).outcome).toMatchObject({ ok: true, value: { status: 'off', shipped: 0 } });
  });
});
