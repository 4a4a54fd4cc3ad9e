import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EvaluatorFor } from '../../src/evaluate/choose-evaluator.ts';
import type { Evaluation } from '../../src/evaluate/evaluator.ts';
import { ContentStore } from '../../src/fleet/worker/content-store.ts';
import { ContractStore } from '../../src/fleet/worker/contract-store.ts';
import { type GoalBench, judgeGoal } from '../../src/fleet/worker/judge-goal.ts';
import { type FleetDatabase, fleetHost, fleetServer, hasPostgres, workOnce } from '../support/fleet.ts';
import { startDrift } from '../support/rig.ts';

const server = fleetServer();

const goal = 'weather';
const means = { config: null, env: {}, now: Date.now, requestFolder: '/nowhere' };

const abstained: Evaluation = {
  status: 'abstained',
  reason: 'structural_unproven',
  judgments: { choice: null, noul: null },
  facts: [],
  evaluator: 'structural',
  model: 'test',
  question_version: 'test',
};

/** A worker's bench whose evaluator is `evaluate`. */
function benchOn({ url }: FleetDatabase, holder: string, extra: Partial<GoalBench> = {}): GoalBench {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  onTestFinished(() => pool.end());
  return {
    pool,
    holder,
    means,
    leaseMs: 60_000,
    clock: () => performance.now(),
    content: new ContentStore(pool),
    contracts: new ContractStore(pool),
    shouldStop: () => false,
    ...extra,
  };
}

const evaluating = (evaluate: () => Promise<Evaluation>): GoalBench['means'] => ({
  ...means,
  evaluatorOf: (): EvaluatorFor => () => evaluate,
});

/** A database that holds the first checkpoint and `turns` queued events of one host. */
async function withBacklog(turns: number, name = 'north') {
  const database = await server.database();
  const host = await fleetHost(name);
  for (let n = 1; n <= turns; n += 1) await host.turn(`t-${n}`, `x = ${n}\n`);
  await host.ship(database.env);
  return { database, host };
}

const receipts = ({ rows }: FleetDatabase) =>
  rows<{ goal_seq: string; reason: string | null; token: string }>(
    'SELECT goal_seq, reason, token FROM drift_fleet.receipt ORDER BY recorded_at, goal_seq',
  );

const orderOf = (found: readonly { goal_seq: string }[]): number[] =>
  found.map(({ goal_seq }) => Number(goal_seq));

describe.skipIf(!hasPostgres)('a worker', () => {
  it('keeps the order of a goal and one receipt each when the engine repeats and reorders its jobs', async () => {
    const { database } = await withBacklog(12);
    for (let n = 0; n < 6; n += 1)
      await database.rows(
        `SELECT FROM drift_fleet_jobs.add_job('drift_goal', '{"goal":"weather"}', priority := $1::int)`,
        [n % 3],
      );

    await workOnce(database.env, { concurrency: 4 });

    expect(orderOf(await receipts(database))).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(await database.rows('SELECT FROM drift_fleet_jobs._private_jobs')).toEqual([]);
  });

  it('does nothing when its task is called again, in parallel or late', async () => {
    const { database } = await withBacklog(8);
    const turns = await Promise.all(
      ['a', 'b', 'c'].map((holder) => judgeGoal(benchOn(database, holder), goal)),
    );
    const late = await judgeGoal(benchOn(database, 'd'), goal);

    expect(turns.map(({ finished }) => finished).sort()).toEqual([0, 0, 9]);
    expect(late).toEqual({ finished: 0, fenced: false });
    expect(orderOf(await receipts(database))).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('keeps its goal while one evaluation takes longer than the lease', async () => {
    const { database } = await withBacklog(1);
    const slow = evaluating(async () => {
      await sleep(1_200);
      return abstained;
    });
    const first = judgeGoal(benchOn(database, 'slow', { means: slow, leaseMs: 300 }), goal);
    await sleep(900);
    const second = await judgeGoal(benchOn(database, 'quick', { leaseMs: 300 }), goal);

    expect(second.finished).toBe(0);
    expect(await first).toEqual({ finished: 2, fenced: false });
  });

  it('throws its outcome away when it was taken for dead meanwhile', async () => {
    const { database } = await withBacklog(2);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const stuck = evaluating(async () => {
      await held;
      return { ...abstained, reason: 'too_late' };
    });
    const first = judgeGoal(benchOn(database, 'stuck', { means: stuck }), goal);
    const lane = () => database.rows<{ done_seq: string }>('SELECT done_seq FROM drift_fleet.lane');
    await expect.poll(lane).toEqual([{ done_seq: '1' }]);
    await database.rows("UPDATE drift_fleet.lane SET leased_until = now() - interval '1 second'");
    const second = await judgeGoal(benchOn(database, 'heir'), goal);
    goOn();

    expect(second).toEqual({ finished: 2, fenced: false });
    expect(await first).toEqual({ finished: 1, fenced: true });
    expect(await receipts(database)).toMatchObject([
      { goal_seq: '2', reason: 'structural_unproven', token: '2' },
      { goal_seq: '3', reason: 'structural_unproven', token: '2' },
    ]);
  });

  it('gives up an event that twenty attempts did not finish, and only that one', async () => {
    const { database } = await withBacklog(2);
    for (let attempt = 1; attempt <= 20; attempt += 1)
      await database.rows("SELECT * FROM drift_fleet.take('weather', 'dies', interval '0')");
    await database.rows('UPDATE drift_fleet.lane SET done_seq = 1');
    await judgeGoal(benchOn(database, 'heir'), goal);

    expect(await receipts(database)).toMatchObject([
      { goal_seq: '2', reason: 'poison' },
      { goal_seq: '3', reason: 'structural_unproven' },
    ]);
  });

  it('sends nothing on a second attempt, because the first may have', async () => {
    const database = await server.database();
    const host = await fleetHost('north', { config: { evaluator: 'cascade' } });
    await host.turn('t-1', 'x = 0  # said otherwise\n');
    await host.turn('t-2', 'x = 2\n');
    await host.ship(database.env);
    await database.rows('UPDATE drift_fleet.lane SET done_seq = 1, attempts = 1');
    await judgeGoal(benchOn(database, 'one'), goal);
    await database.rows(
      'DELETE FROM drift_fleet.receipt WHERE goal_seq = 3; UPDATE drift_fleet.lane SET done_seq = 2, attempts = 1',
    );
    await judgeGoal(benchOn(database, 'two'), goal);

    expect(await receipts(database)).toMatchObject([
      { goal_seq: '2', reason: null },
      { goal_seq: '3', reason: 'may_have_been_sent' },
    ]);
  });

  it('leaves nothing of files or evaluators in a job, not even when it fails', async () => {
    const { database } = await withBacklog(1);
    const jobs = () =>
      database.rows<{ payload: object; last_error: string | null }>(
        'SELECT payload, last_error FROM drift_fleet_jobs._private_jobs',
      );
    expect(await jobs()).toEqual([{ payload: { goal: 'weather' }, last_error: null }]);
    await database.rows(
      `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', NEW.entry; END $$;
       CREATE TRIGGER spoil BEFORE INSERT ON drift_fleet.receipt FOR EACH ROW EXECUTE FUNCTION spoil()`,
    );
    const troubles: string[] = [];
    await workOnce(database.env, { onTrouble: ({ reason }) => troubles.push(reason) });

    expect(troubles).toContain('database_refused');
    for (const { last_error } of await jobs())
      expect(last_error ?? 'database_refused P0001').toBe('database_refused P0001');
  });

  it('finishes the event in hand and lets the goal go when it is told to stop', async () => {
    const { database } = await withBacklog(3);
    const stop = new AbortController();
    const stopping = evaluating(async () => {
      stop.abort();
      return abstained;
    });
    const outcome = await workOnce(database.env, { once: false, signal: stop.signal, means: stopping });

    expect(outcome).toMatchObject({ ok: true, value: { status: 'stopped', finished: 2 } });
    expect(await database.rows('SELECT done_seq, holder, attempts FROM drift_fleet.lane')).toEqual([
      { done_seq: '2', holder: null, attempts: 0 },
    ]);
  });

  it('takes over what a killed worker left, with one receipt each', async () => {
    const { database, host } = await withBacklog(150);
    const killed = startDrift(['worker', '--lease-seconds', '2'], { cwd: host.workspace, env: database.env });
    const count = async (): Promise<number> => (await receipts(database)).length;
    await expect.poll(count, { timeout: 50_000, interval: 5 }).toBeGreaterThan(3);
    killed.kill('SIGKILL');
    const left = await count();
    const stop = new AbortController();
    const heir = workOnce(database.env, { once: false, leaseMs: 2_000, sweepMs: 500, signal: stop.signal });
    await expect.poll(count, { timeout: 50_000 }).toBe(150);
    stop.abort();

    expect(left).toBeLessThan(150);
    expect(await heir).toMatchObject({ ok: true, value: { fenced: 0 } });
    expect(orderOf(await receipts(database))).toEqual(Array.from({ length: 150 }, (_, n) => n + 2));
  });

  it('outlives a database that goes away and comes back while it works', async () => {
    const { database, host } = await withBacklog(60);
    const worker = startDrift(['worker', '--sweep-seconds', '0.2', '--lease-seconds', '2'], {
      cwd: host.workspace,
      env: database.env,
    });
    onTestFinished(() => void worker.kill('SIGKILL'));
    const count = async (): Promise<number> => (await receipts(database).catch(() => [])).length;
    await expect.poll(count, { timeout: 50_000, interval: 5 }).toBeGreaterThan(3);
    await server.running().halt();
    await sleep(500);
    await server.running().start();
    await host.turn('t-61', 'x = 61\n');
    await host.ship(database.env);
    await expect.poll(count, { timeout: 50_000 }).toBe(61);

    worker.kill('SIGTERM');
    expect(await new Promise((resolve) => worker.once('exit', (code) => resolve(code)))).toBe(0);
  }, 120_000);
});
