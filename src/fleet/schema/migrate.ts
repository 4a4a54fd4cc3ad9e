import type { Pool, PoolClient } from 'pg';
import type { Failure } from '../../contract/failure.ts';
import { fail, ok, type Result } from '../../contract/result.ts';
import { openPool } from '../database/connect.ts';
import { guardDatabase } from '../database/database-failure.ts';
import { loadGraphile } from '../database/load-package.ts';
import type { UrlSource } from '../database/read-url.ts';
import { quietLogger } from '../worker/quiet-logger.ts';
import { type FleetRole, fleetRoles, grantStatements } from './grants.ts';
import { jobSchema, migrations, schemaVersion } from './migrations.ts';

const MIN_SERVER_VERSION = 150_000;
/** Any number of our own: one migration of one database at a time. */
const MIGRATION_LOCK = 7_240_310_145;

export interface MigrateRequest extends UrlSource {
  /** Logins that get their rights. */
  readonly roles: Readonly<Record<FleetRole, readonly string[]>>;
}

export interface Migrated {
  readonly version: number;
  /** Steps that were run now. */
  readonly applied: number;
}

/**
 * Brings a database to this version, in one place and as often as anybody likes: the engine's tables, ours, the rights.
 * Needs the rights of the schemas' owner. Reasons: package_missing, those of the URL and the database.
 */
export async function migrateDatabase(request: MigrateRequest): Promise<Result<Migrated, Failure>> {
  const opened = await openPool({ ...request, name: 'drift fleet migrate', maxConnections: 3 });
  if (!opened.ok) return opened;
  const pool = opened.value;
  try {
    return await guardDatabase(() => locked(pool, (client) => migrate(pool, client, request)));
  } finally {
    await pool.end();
  }
}

async function locked<T>(pool: Pool, step: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await step(client);
  } finally {
    client.release(true);
  }
}

async function migrate(
  pool: Pool,
  client: PoolClient,
  { roles }: MigrateRequest,
): Promise<Result<Migrated, Failure>> {
  const server = await checkServer(client);
  if (!server.ok) return server;
  const engine = await loadGraphile();
  if (!engine.ok) return engine;
  await engine.value.runMigrations({ pgPool: pool, schema: jobSchema, logger: quietLogger(engine.value) });
  const applied = await applySteps(client);
  for (const kind of fleetRoles)
    for (const role of roles[kind]) await client.query(grantStatements(kind, client.escapeIdentifier(role)));
  return ok({ version: schemaVersion, applied });
}

async function checkServer(client: PoolClient): Promise<Result<null, Failure>> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  const { version = 0, encoding = '' } = rows[0] ?? {};
  if (version < MIN_SERVER_VERSION)
    return fail({
      reason: 'database_unsafe',
      detail: `PostgreSQL 15 or newer is needed, this is ${version}`,
    });
  if (encoding !== 'UTF8')
    return fail({ reason: 'database_unsafe', detail: `its encoding is ${encoding}, not UTF8` });
  return ok(null);
}

const bootstrap = `
CREATE SCHEMA IF NOT EXISTS drift_fleet;
CREATE TABLE IF NOT EXISTS drift_fleet.migration (
  version integer PRIMARY KEY, breaking boolean NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
);
CREATE OR REPLACE FUNCTION drift_fleet.schema_version() RETURNS TABLE (current integer, breaking integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
  SELECT coalesce(max(m.version), 0), coalesce(max(m.version) FILTER (WHERE m.breaking), 0) FROM migration m
$$;
`;

async function applySteps(client: PoolClient): Promise<number> {
  await client.query(bootstrap);
  const { rows } = await client.query<{ current: number }>(
    'SELECT current FROM drift_fleet.schema_version()',
  );
  const done = rows[0]?.current ?? 0;
  for (const [index, { sql, breaking }] of migrations.entries()) {
    const version = index + 1;
    if (version <= done) continue;
    await client.query('BEGIN');
    await client.query(sql);
    await client.query('INSERT INTO drift_fleet.migration (version, breaking) VALUES ($1, $2)', [
      version,
      breaking,
    ]);
    await client.query('REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA drift_fleet FROM PUBLIC');
    await client.query('COMMIT');
  }
  return Math.max(0, migrations.length - done);
}
