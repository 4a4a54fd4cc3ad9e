import type { Pool, PoolClient } from 'pg';
import type { Failure } from '../../contract/failure.ts';
import { fail, ok, type Result } from '../../contract/result.ts';
import { breakingVersion, schemaVersion } from '../schema/migrations.ts';
import { guardDatabase } from './database-failure.ts';
import { loadPg } from './load-package.ts';
import { readDatabaseUrl, type UrlSource } from './read-url.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/** A host that vanishes frees its row locks within about half a minute; a client that hangs, within one. */
const sessionSettings = [
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  `statement_timeout=${STATEMENT_TIMEOUT_MS}`,
  'idle_in_transaction_session_timeout=60000',
  'search_path=pg_catalog',
];

export interface ConnectOptions extends UrlSource {
  /** Shown by the server's `pg_stat_activity`. */
  readonly name: string;
  readonly maxConnections: number;
}

/** A pool whose connections may break at any time without breaking the process. Nothing has been asked yet. */
export async function openPool(options: ConnectOptions): Promise<Result<Pool, Failure>> {
  const url = readDatabaseUrl(options);
  if (!url.ok) return url;
  const loaded = await loadPg();
  if (!loaded.ok) return loaded;
  const pool = new loaded.value.default.Pool({
    connectionString: url.value,
    application_name: options.name,
    max: options.maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: 2 * STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: sessionSettings.map((setting) => `-c ${setting}`).join(' '),
  });
  // Whoever uses a connection hears of its end from the query in hand; an idle one is replaced silently.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return ok(pool);
}

/**
 * A pool on a database that holds a fleet this version can work with, and keeps what it has acknowledged.
 * Reasons: those of {@link openPool} and the database, database_unsafe, database_version_unknown.
 */
export async function connect(options: ConnectOptions): Promise<Result<Pool, Failure>> {
  const opened = await openPool(options);
  if (!opened.ok) return opened;
  const pool = opened.value;
  const checked = await guardDatabase(() => checkDatabase(pool));
  if (checked.ok) return ok(pool);
  await pool.end();
  return checked;
}

interface DatabaseState {
  readonly current: number;
  readonly breaking: number;
  readonly synchronous_commit: string;
}

async function checkDatabase(pool: Pool): Promise<Result<null, Failure>> {
  const { rows } = await pool.query<DatabaseState>(
    "SELECT v.current, v.breaking, current_setting('synchronous_commit') AS synchronous_commit FROM drift_fleet.schema_version() v",
  );
  const [state] = rows;
  if (state === undefined || state.current < schemaVersion)
    return fail({
      reason: 'database_not_migrated',
      detail: `version ${state?.current ?? 0}, not ${schemaVersion}`,
    });
  if (state.breaking > breakingVersion)
    return fail({ reason: 'database_version_unknown', detail: `version ${state.current}` });
  if (state.synchronous_commit === 'off')
    return fail({ reason: 'database_unsafe', detail: 'synchronous_commit is off' });
  return ok(null);
}

/** What a transaction came to, and whether it shall count. */
interface Ending<T> {
  readonly commit: boolean;
  readonly value: T;
}

/**
 * All or nothing; given back only when COMMIT was acknowledged. A connection on which this fails is closed, so that the
 * server rolls back whatever was open.
 */
export async function inTransaction<T>(
  pool: Pool,
  step: (client: PoolClient) => Promise<Ending<T>>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { commit, value } = await step(client);
    await client.query(commit ? 'COMMIT' : 'ROLLBACK');
    client.release();
    return value;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
