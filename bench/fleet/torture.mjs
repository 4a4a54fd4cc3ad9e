// Kill torture of a fleet on one machine, with a PostgreSQL server of its own: hosts and workers are SIGKILLed at random
// moments and started again. Afterwards every event must have exactly one receipt, in its goal's order, in the database
// and in its host's runtime root. Prints a table; exit 0 when that holds, 1 when it does not, 2 without PostgreSQL.
// Usage: node torture.mjs [--hosts 4] [--events 500] [--goals 4] [--workers 3] [--chaos-seconds 60]
//                         [--limit-seconds 420] [--seed N] [--json]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import pg from 'pg';
import { migrateDatabase } from '../../dist/fleet/schema/migrate.js';
import { auditFleet } from './audit.mjs';
import { makeObservedGoal } from './observed-goal.mjs';
import { findPostgres, startPostgres } from './postgres.mjs';

const whole = (value) => ({ type: 'string', default: String(value) });
const { values } = parseArgs({
  options: {
    hosts: whole(4),
    events: whole(500),
    goals: whole(4),
    workers: whole(3),
    'chaos-seconds': whole(60),
    'limit-seconds': whole(420),
    seed: whole(Date.now() % 1_000_000),
    json: { type: 'boolean', default: false },
  },
});
const [hostCount, eventCount, goalCount, workerCount] = ['hosts', 'events', 'goals', 'workers'].map((name) =>
  Number(values[name]),
);
const turns = Math.floor(eventCount / goalCount);
const named = (count, word) => Array.from({ length: count }, (_, n) => `${word}-${n + 1}`);
const hosts = named(hostCount, 'host');
const goals = named(goalCount, 'goal');
const drift = new URL('../../bin/drift', import.meta.url).pathname;

/** A small generator, so that a run can be repeated as far as the machine allows. */
let state = Number(values.seed);
const random = () => {
  state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return state / 2 ** 32;
};

let chaos = true;
let kills = 0;
const running = new Set();

/** Keeps one program going until it ends by itself: killed at a random moment after it is ready, then started again. */
async function keepKilling(argv, env, isReady) {
  for (;;) {
    const child = spawn(argv[0], argv.slice(1), { env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
    const kill = () => {
      if (chaos && child.kill('SIGKILL')) kills += 1;
    };
    let timer = null;
    const watch = (bytes) => {
      if (timer === null && isReady(String(bytes))) timer = setTimeout(kill, 20 + random() * 900);
    };
    child.stdout.on('data', watch);
    child.stderr.on('data', watch);
    const how = await ended;
    clearTimeout(timer);
    running.delete(child);
    if (how === 0 || !wanted) return how;
    if (how !== 'SIGKILL') process.stderr.write(`torture: ${argv.at(-1)} ended with ${how}\n`);
  }
}

let wanted = true;

async function play(server, base) {
  const url = server.url('fleet');
  await onceOn(server.url(), 'CREATE DATABASE fleet');
  const env = { ...process.env, DRIFT_DATABASE_URL: url };
  const roles = { host: [], worker: [], reader: [] };
  const migrated = await migrateDatabase({ env, variable: 'DRIFT_DATABASE_URL', roles });
  if (!migrated.ok) throw new Error(JSON.stringify(migrated.failure));
  for (const host of hosts) for (const goal of goals) await makeObservedGoal(base, host, goal);

  const limit = Date.now() + Number(values['limit-seconds']) * 1_000;
  const calmAt = Date.now() + Number(values['chaos-seconds']) * 1_000;
  const program = new URL('host-process.mjs', import.meta.url).pathname;
  const words = ['worker', '--lease-seconds', '2', '--sweep-seconds', '1'];
  const workers = Array.from({ length: workerCount }, () =>
    keepKilling([drift, ...words], env, (text) => text.includes('listening')),
  );
  const shipping = hosts.map((host) =>
    keepKilling([process.execPath, program, base, host, String(turns), ...goals], env, (text) =>
      text.includes('ready'),
    ),
  );
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const done = Promise.all(shipping).then(() => true);
  let finished = false;
  while (!finished && Date.now() < limit) {
    if (Date.now() > calmAt) chaos = false;
    finished = await Promise.race([done, sleep(500).then(() => false)]);
  }
  wanted = false;
  for (const child of running) child.kill('SIGKILL');
  await Promise.all([...shipping, ...workers]);
  const audit = await auditFleet(pool, { base, hosts, goals, turns });
  await pool.end();
  return { finished, audit };
}

async function onceOn(url, sql) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

function print({ finished, audit, seconds }) {
  const table = new Table({
    head: [
      'goal',
      'hosts',
      'events',
      'receipts',
      'published',
      'doubled',
      'order breaks',
      'given up',
      'leases',
    ],
    style: { head: [], border: [] },
  });
  for (const row of audit.goals)
    table.push([
      row.goal,
      hostCount,
      row.events,
      row.receipts,
      row.published,
      row.doubled,
      row.orderBreaks,
      row.givenUp,
      row.leases,
    ]);
  const { wanted: all, receipts, published, doubled, orderBreaks, givenUp } = audit.sum;
  process.stdout.write(`${table}\n`);
  process.stdout.write(
    `${hostCount} hosts x ${turns * goalCount} events, ${goalCount} goals, ${workerCount} workers; ${kills} SIGKILLs in ${seconds.toFixed(0)} s, seed ${values.seed}\n` +
      `receipts ${receipts}/${all}, published ${published}/${all}, doubled ${doubled}, order breaks ${orderBreaks}, given up ${givenUp}${finished ? '' : '; NOT FINISHED in time'}\n`,
  );
}

if (findPostgres() === null) {
  process.stderr.write('NOT RUN: no PostgreSQL >= 15 here (apt-get install postgresql)\n');
  process.exit(2);
}
const base = mkdtempSync(join(tmpdir(), 'drift-torture-'));
const startedAt = Date.now();
const server = await startPostgres({ settings: ['max_connections = 200'] });
try {
  const result = { ...(await play(server, base)), kills };
  const seconds = (Date.now() - startedAt) / 1_000;
  if (values.json) process.stdout.write(`${JSON.stringify({ ...result, seconds, seed: values.seed })}\n`);
  else print({ ...result, seconds });
  process.exitCode = result.finished && result.audit.holds ? 0 : 1;
} finally {
  for (const child of running) child.kill('SIGKILL');
  await server.stop();
  rmSync(base, { recursive: true, force: true });
}
