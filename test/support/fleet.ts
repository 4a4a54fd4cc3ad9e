import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { findPostgres, startPostgres } from '../../bench/fleet/postgres.mjs';
import type { Config } from '../../src/contract/config.ts';
import type { Receipt } from '../../src/contract/receipt.ts';
import { runDrain } from '../../src/drain/run-drain.ts';
import { joinFleet, leaveFleet } from '../../src/fleet/host/membership.ts';
import { runShip, type ShipNotice } from '../../src/fleet/host/run-ship.ts';
import { migrateDatabase } from '../../src/fleet/schema/migrate.ts';
import { runWorker, type WorkerRequest } from '../../src/fleet/worker/run-worker.ts';
import { createObserver } from '../../src/observer/create-observer.ts';
import { type LoadedObserver, loadObserver } from '../../src/observer/load-observer.ts';
import { openCapture } from '../../src/shim/capture.ts';
import { temporaryFolder } from './rig.ts';
import { basis } from './transition.ts';

type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/** Whether the fleet can be tested here. A suite that is skipped for the lack of it says so on stderr. */
export const hasPostgres = findPostgres() !== null;
if (!hasPostgres)
  process.stderr.write(
    '\nNOT TESTED: no PostgreSQL >= 15 here, so fleets are not tested (apt-get install postgresql)\n',
  );

const urlVariable = 'DRIFT_DATABASE_URL';

/** A server for a test file, without fsync: what is killed in these tests is never the machine. */
export function fleetServer(options: { readonly settings?: string[]; readonly tcp?: boolean } = {}) {
  let server: PostgresServer | undefined;
  let databases = 0;
  const running = (): PostgresServer => {
    if (server === undefined) throw new Error('the server is not running');
    return server;
  };
  beforeAll(async () => {
    if (!hasPostgres) return;
    server = await startPostgres({ ...options, settings: ['fsync = off', ...(options.settings ?? [])] });
    const url = running().url();
    await asOwner(url, 'CREATE DATABASE fleet');
    const migrated = await migrateDatabase({
      env: { [urlVariable]: running().url('fleet') },
      variable: urlVariable,
      roles: { host: [], worker: [], reader: [] },
    });
    if (!migrated.ok) throw new Error(JSON.stringify(migrated.failure));
  });
  afterAll(() => server?.stop());
  return {
    running,
    /** A migrated database of its own, and a client of its owner. */
    async database(): Promise<FleetDatabase> {
      databases += 1;
      const name = `fleet_${databases}`;
      await asOwner(running().url(), `CREATE DATABASE ${name} TEMPLATE fleet`);
      const url = running().url(name);
      const owner = new pg.Pool({ connectionString: url, max: 2 });
      owner.on('error', () => undefined);
      onTestFinished(() => owner.end());
      const rows = async <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> =>
        (await owner.query<T>(sql, values)).rows;
      return { name, url, env: { [urlVariable]: url }, rows };
    },
  };
}

export interface FleetDatabase {
  readonly name: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** Asks as the owner. */
  rows<T extends object>(sql: string, values?: unknown[]): Promise<T[]>;
}

async function asOwner(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

interface HostOptions {
  readonly goal?: string;
  readonly config?: Partial<Config>;
  readonly join?: boolean;
  readonly files?: Readonly<Record<string, string>>;
}

/** A host: a workspace, an observer of one goal that has joined the fleet, turns and exchanges on demand. */
export async function fleetHost(name: string, options: HostOptions = {}) {
  const { goal = 'weather', config = {}, join: joins = true, files = { 'a.py': 'x = 0\n' } } = options;
  const folder = temporaryFolder();
  const workspace = join(folder, 'work');
  const state = join(folder, 'state');
  for (const made of [workspace, state]) mkdirSync(made, { mode: 0o700 });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(workspace, path), text);
  const configFile = join(state, 'config.json');
  const settings = {
    schema_version: 'drift_config_v1',
    fleet: { database_url_env: urlVariable, host_name: name },
    ...config,
  };
  writeFileSync(configFile, JSON.stringify(settings), { mode: 0o600 });
  const created = createObserver({
    cwd: workspace,
    state,
    configFile,
    workspace,
    basis: { words: basis },
    paths: Object.keys(files),
    globs: [],
    runtimeRoot: null,
    goalId: goal,
    evaluator: null,
    host: null,
    replace: false,
    now: new Date().toISOString(),
  });
  if (!created.ok) throw new Error(JSON.stringify(created.failure));
  const load = () => loadObserver({ stateDir: state, env: {}, cwd: workspace });
  const loaded = (): LoadedObserver => {
    const found = load();
    if (!found.ok) throw new Error(JSON.stringify(found.failure));
    return found.value;
  };
  if (joins) await joinFleet(loaded());
  const receipts = join(state, 'runtime', 'goals', goal, 'progress-review', 'receipts');
  return {
    name,
    folder,
    workspace,
    state,
    loaded,
    /** One captured transition: a file is written, a turn ends. */
    async turn(id: string, text: string, path = 'a.py'): Promise<void> {
      writeFileSync(join(workspace, path), text);
      const capture = openCapture(['--state-dir', state, '--agent-id', name, '--turn-id', id], ['true']);
      await capture?.afterCommand({ ...ended, startedAt: Date.now() });
    },
    joinFleet: () => joinFleet(loaded()),
    leaveFleet: (abandon: boolean) => leaveFleet(loaded(), { abandon }),
    /** A pass of the local drain. */
    drain: () =>
      runDrain({
        loaded: loaded(),
        reload: load,
        env: {},
        now: Date.now,
        clock: () => performance.now(),
        max: Number.POSITIVE_INFINITY,
        watchMs: null,
        pollMs: 20,
        signal: new AbortController().signal,
        onEvent: () => undefined,
      }),
    /** One exchange with the database. */
    async ship(env: Readonly<Record<string, string>>, extra: Partial<Parameters<typeof runShip>[0]> = {}) {
      const notices: ShipNotice[] = [];
      const outcome = await runShip({
        loaded: loaded(),
        reload: load,
        env,
        now: Date.now,
        clock: () => performance.now(),
        watchMs: null,
        pollMs: 20,
        signal: new AbortController().signal,
        onEvent: () => undefined,
        onNotice: (notice) => notices.push(notice),
        ...extra,
      });
      return { outcome, notices };
    },
    /** What the owner finds in the runtime root, by sequence. */
    receipts: (): Receipt[] =>
      readdirSync(receipts)
        .map((file) => JSON.parse(readFileSync(join(receipts, file), 'utf8')) as Receipt)
        .sort((a, b) => a.sequence - b.sequence),
  };
}

export type FleetHost = Awaited<ReturnType<typeof fleetHost>>;

const ended = { exitCode: 0, signal: null, durationMs: 1, stdoutTail: null, stdoutCut: false } as const;

/** Judges what is waiting and ends. */
export function workOnce(
  env: Readonly<Record<string, string>>,
  extra: Partial<WorkerRequest> = {},
): ReturnType<typeof runWorker> {
  return runWorker({
    env,
    variable: urlVariable,
    means: { config: null, env: {}, now: Date.now, requestFolder: '/nowhere' },
    concurrency: 2,
    leaseMs: 60_000,
    sweepMs: 30_000,
    once: true,
    signal: new AbortController().signal,
    clock: () => performance.now(),
    onReady: () => undefined,
    onTrouble: () => undefined,
    ...extra,
  });
}
