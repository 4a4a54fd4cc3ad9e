import { describe, expect, it } from 'vitest';
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
});
