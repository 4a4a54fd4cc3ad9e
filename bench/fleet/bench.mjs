// Hosts x goals x workers on one machine, with a PostgreSQL server of its own that syncs every commit. For each row:
// how fast spools are shipped; how fast a backlog is judged once all workers stand ready; and, with that backlog gone,
// the 95th percentile from enqueue (COMMIT on the server) to receipt while events trickle in.
// Usage: node bench.mjs [--events 800] [--rows 1x1x1,4x4x2,…] [--json]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import pg from 'pg';
import { migrateDatabase } from '../../dist/fleet/schema/migrate.js';
import { makeObservedGoal, openObservedGoal } from './observed-goal.mjs';
import { findPostgres, startPostgres } from './postgres.mjs';

const TRICKLE_EVENTS = 120;
const TRICKLE_PAUSE_MS = 30;

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '800' },
    rows: { type: 'string', default: '1x1x1,4x4x1,4x4x2,8x8x1,8x8x2,8x8x4,8x8x8,8x2x4' },
    json: { type: 'boolean', default: false },
  },
});
const drift = new URL('../../bin/drift', import.meta.url).pathname;
const named = (count, word) => Array.from({ length: count }, (_, n) => `${word}-${n + 1}`);

/** Workers that stand ready; each judges one goal at a time, so that the column counts what it says. */
async function startWorkers(count, env) {
  const children = Array.from({ length: count }, () =>
    spawn(drift, ['worker', '--concurrency', '1'], { env, stdio: ['ignore', 'ignore', 'pipe'] }),
  );
  const ready = children.map(
    (child) =>
      new Promise((resolve, reject) => {
        child.stderr.on('data', (bytes) => String(bytes).includes('listening') && resolve(null));
        child.once('exit', () => reject(new Error('a worker ended')));
      }),
  );
  await Promise.all(ready);
  return async () => {
    for (const child of children) child.removeAllListeners('exit').kill('SIGTERM');
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('close', resolve))));
  };
}

/** Ships everything; a host's goals one after the other, the hosts at the same time. */
async function shipAll(observed, env) {
  const hosts = new Set(observed.map(({ host }) => host));
  await Promise.all(
    [...hosts].map(async (name) => {
      for (const { host, goal } of observed)
        if (host === name) if ((await goal.ship(env))?.unshipped !== 0) throw new Error('not shipped');
    }),
  );
}

async function measure(server, row, base) {
  const [hostCount, goalCount, workerCount] = row.split('x').map(Number);
  const database = `row_${row}`;
  await onceOn(server.url(), `CREATE DATABASE ${database}`);
  const env = { ...process.env, DRIFT_DATABASE_URL: server.url(database) };
  const roles = { host: [], worker: [], reader: [] };
  await migrateDatabase({ env, variable: 'DRIFT_DATABASE_URL', roles });
  const pool = new pg.Pool({ connectionString: server.url(database), max: 1 });
  const pairs = named(hostCount, 'host').flatMap((host) =>
    named(goalCount, 'goal').map((goal) => ({ host, goal })),
  );
  for (const { host, goal } of pairs) await makeObservedGoal(join(base, row), host, goal);
  const observed = pairs.map(({ host, goal }) => ({
    host,
    goal: openObservedGoal(join(base, row), host, goal),
  }));
  const turns = Math.max(1, Math.floor(Number(values.events) / pairs.length));
  for (const { goal } of observed) for (let n = 1; n <= turns; n += 1) await goal.turn(n);

  const events = (turns + 1) * observed.length;
  const shipStart = performance.now();
  await shipAll(observed, env);
  const shippedPerSecond = events / ((performance.now() - shipStart) / 1_000);

  // Every goal is held until all workers stand ready, so that their start does not count.
  await pool.query("UPDATE drift_fleet.lane SET leased_until = now() + interval '1 hour'");
  const stopWorkers = await startWorkers(workerCount, env);
  const { rows: opened } = await pool.query('SELECT clock_timestamp() AS at');
  await pool.query('UPDATE drift_fleet.lane SET leased_until = NULL');
  await pool.query("SELECT drift_fleet.sweep('bench', 'bench')");
  await untilDone(pool);
  const { rows: judged } = await pool.query(
    'SELECT extract(epoch FROM max(recorded_at) - $1)::float8 AS seconds FROM drift_fleet.receipt',
    [opened[0].at],
  );

  for (let n = 0; n < TRICKLE_EVENTS; n += 1) {
    const { goal } = observed[n % observed.length];
    await goal.turn(goal.turns() + 1);
    await goal.ship(env);
    await sleep(TRICKLE_PAUSE_MS);
  }
  await untilDone(pool);
  await stopWorkers();
  const { rows: waited } = await pool.query(
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS median, percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) AS p95
     FROM (SELECT extract(epoch FROM r.recorded_at - e.received_at)::float8 * 1000 AS ms FROM drift_fleet.receipt r
           JOIN drift_fleet.event e USING (goal_id, goal_seq) ORDER BY e.received_at DESC LIMIT ${TRICKLE_EVENTS}) trickled`,
  );
  await pool.end();
  return {
    hosts: hostCount,
    goals: goalCount,
    workers: workerCount,
    events,
    shipped_per_second: Math.round(shippedPerSecond),
    judged_per_second: Math.round(events / judged[0].seconds),
    enqueue_to_receipt_ms: { median: Math.round(waited[0].median), p95: Math.round(waited[0].p95) },
  };
}

async function untilDone(pool) {
  const query =
    'SELECT count(*)::int AS open FROM drift_fleet.lane JOIN drift_fleet.goal USING (goal_id) WHERE done_seq < next_seq - 1';
  for (let open = 1; open > 0; await sleep(20)) [{ open }] = (await pool.query(query)).rows;
}

async function onceOn(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

function print(results) {
  const alone = new Map(
    results.filter(({ workers }) => workers === 1).map((one) => [`${one.hosts}x${one.goals}`, one]),
  );
  const table = new Table({
    head: ['hosts', 'goals', 'workers', 'events', 'shipped/s', 'judged/s', 'growth', 'median ms', 'p95 ms'],
    style: { head: [], border: [] },
  });
  for (const one of results) {
    const base = alone.get(`${one.hosts}x${one.goals}`);
    const growth = base ? (one.judged_per_second / base.judged_per_second).toFixed(2) : '-';
    const { median, p95 } = one.enqueue_to_receipt_ms;
    const { hosts, goals, workers, events, shipped_per_second, judged_per_second } = one;
    table.push([hosts, goals, workers, events, shipped_per_second, judged_per_second, growth, median, p95]);
  }
  process.stdout.write(
    `${table}\n${availableParallelism()} cores, all processes and the server on them; fsync on\n`,
  );
}

if (findPostgres() === null) {
  process.stderr.write('NOT RUN: no PostgreSQL >= 15 here (apt-get install postgresql)\n');
  process.exit(2);
}
const base = mkdtempSync(join(tmpdir(), 'drift-bench-'));
const server = await startPostgres({ settings: ['max_connections = 300'] });
try {
  const results = [];
  for (const row of values.rows.split(',')) {
    results.push(await measure(server, row, base));
    process.stderr.write(`${row}\n`);
  }
  if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`);
  else print(results);
} finally {
  await server.stop();
  rmSync(base, { recursive: true, force: true });
}
