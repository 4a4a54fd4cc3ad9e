import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { auditFleet } from '../../bench/fleet/audit.mjs';
import { makeObservedGoal, openObservedGoal } from '../../bench/fleet/observed-goal.mjs';
import { fleetServer, hasPostgres, workOnce } from '../support/fleet.ts';
import { temporaryFolder } from '../support/rig.ts';

const server = fleetServer();
const torture = new URL('../../bench/fleet/torture.mjs', import.meta.url).pathname;

describe.skipIf(!hasPostgres)('a fleet whose hosts and workers are killed at random', () => {
  it('gives every event one receipt, in the order of its goal', async () => {
    const words = ['--hosts', '2', '--events', '40', '--goals', '2', '--workers', '2'];
    const bounds = ['--chaos-seconds', '10', '--limit-seconds', '150', '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, [torture, ...words, ...bounds]);
    const { finished, kills, audit } = JSON.parse(stdout);

    expect(kills).toBeGreaterThan(0);
    expect(finished).toBe(true);
    expect(audit.sum).toEqual({
      wanted: 80,
      events: 80,
      receipts: 80,
      published: 80,
      doubled: 0,
      orderBreaks: 0,
      givenUp: 0,
    });
  }, 200_000);
});

describe.skipIf(!hasPostgres)('the audit after a torture', () => {
  const place = { hosts: ['h'], goals: ['g'], turns: 4 };

  /** A small fleet in which all is well, its audit, and where its published receipts lie. */
  async function soundFleet() {
    const database = await server.database();
    const base = temporaryFolder();
    await makeObservedGoal(base, 'h', 'g');
    const observed = openObservedGoal(base, 'h', 'g');
    for (let n = 1; n <= place.turns; n += 1) await observed.turn(n);
    await observed.ship(database.env);
    await workOnce(database.env);
    await observed.ship(database.env);
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    onTestFinished(() => pool.end());
    return { ...database, observed, audit: () => auditFleet(pool, { base, ...place }) };
  }

  it('finds nothing where all is well, and each thing that may be wrong', async () => {
    const { audit, observed, rows } = await soundFleet();
    expect(await audit()).toMatchObject({ holds: true, sum: { receipts: 4, published: 4 } });

    rmSync(join(observed.receipts, readdirSync(observed.receipts)[0] ?? ''));
    expect(await audit()).toMatchObject({ holds: false, sum: { receipts: 4, published: 3 } });
    await rows(
      "UPDATE drift_fleet.receipt SET recorded_at = recorded_at - interval '1 hour' WHERE goal_seq = 4",
    );
    expect(await audit()).toMatchObject({ sum: { orderBreaks: 1 } });
    await rows("UPDATE drift_fleet.receipt SET reason = 'poison' WHERE goal_seq = 5");
    expect(await audit()).toMatchObject({ sum: { givenUp: 1 } });
    await rows('DELETE FROM drift_fleet.receipt WHERE goal_seq = 3');
    expect(await audit()).toMatchObject({ sum: { receipts: 3 } });
  });
});
