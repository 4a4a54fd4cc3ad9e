import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/fleet/database/connect.ts';
import { readDatabaseUrl } from '../../src/fleet/database/read-url.ts';
import { readFleetStatus } from '../../src/fleet/fleet-status.ts';
import { migrateDatabase } from '../../src/fleet/schema/migrate.ts';
import { type FleetDatabase, fleetHost, fleetServer, hasPostgres, workOnce } from '../support/fleet.ts';
import { temporaryFolder } from '../support/rig.ts';

const server = fleetServer({ tcp: true });
const variable = 'DRIFT_DATABASE_URL';
const nobody = { host: [], worker: [], reader: [] };

describe.skipIf(!hasPostgres)('the rights of a fleet', () => {
  beforeAll(async () => {
    if (!hasPostgres) return;
    const client = new pg.Client({ connectionString: server.running().url() });
    await client.connect();
    for (const login of ['host', 'other', 'worker', 'reader', 'stranger'])
      await client.query(`CREATE ROLE "drift ${login}" LOGIN`);
    await client.end();
  });

  /** A database with its logins, and each login's way in. */
  async function withLogins(): Promise<FleetDatabase & { as: (login: string) => Record<string, string> }> {
    const database = await server.database();
    const roles = { host: ['drift host', 'drift other'], worker: ['drift worker'], reader: ['drift reader'] };
    const migrated = await migrateDatabase({ env: database.env, variable, roles });
    expect(migrated).toEqual({ ok: true, value: { version: 1, applied: 0 } });
    const as = (login: string) => ({
      [variable]: server.running().url(database.name, encodeURIComponent(`drift ${login}`)),
    });
    return { ...database, as };
  }

  const asking = async (env: Record<string, string>, sql: string): Promise<string> => {
    const client = new pg.Client({ connectionString: env[variable] });
    await client.connect();
    try {
      await client.query(sql);
      return 'allowed';
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await client.end();
    }
  };

  it('are enough for a host, a worker and a reader to do their part', async () => {
    const { as } = await withLogins();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 0  # a remark\n');
    expect((await host.ship(as('host'))).outcome).toMatchObject({ ok: true, value: { shipped: 2 } });
    expect(await workOnce(as('worker'))).toMatchObject({ ok: true, value: { finished: 2 } });
    await host.ship(as('host'));

    expect(host.receipts().map(({ status }) => status)).toEqual(['completed']);
    expect(await readFleetStatus({ env: as('reader'), variable })).toMatchObject({
      ok: true,
      value: {
        spools: [
          { host: 'north', goal_id: 'weather', backlog: 0, dead_letters: 0, undelivered: 0, unshipped: 0 },
        ],
        workers: [{ seen_seconds_ago: expect.any(Number) }],
      },
    });
  });

  it('keep everybody from everything else', async () => {
    const { as, rows } = await withLogins();
    const host = await fleetHost('north');
    await host.turn('t-1', 'x = 1\n');
    await host.ship(as('host'));
    const [{ spool_id = '' } = {}] = await rows<{ spool_id: string }>(
      'SELECT spool_id FROM drift_fleet.spool',
    );
    const table = (name: string) => `SELECT FROM drift_fleet.${name}`;

    for (const name of ['event', 'content', 'receipt', 'spool', 'spool_status', 'lane', 'basis'])
      expect([name, await asking(as('host'), table(name))]).toEqual([name, '42501']);
    expect(
      await asking(as('host'), "SELECT drift_fleet.finish('weather', 0, 1, '1 s', null, null, null)"),
    ).toBe('42501');
    expect(await asking(as('host'), "SELECT drift_fleet_jobs.add_job('drift_goal')")).toBe('42501');
    expect(await asking(as('host'), `SELECT * FROM drift_fleet.receipts('${spool_id}', -1, 9)`)).toBe(
      'allowed',
    );
    expect(await asking(as('other'), `SELECT * FROM drift_fleet.receipts('${spool_id}', -1, 9)`)).toBe(
      'DF001',
    );
    expect(await asking(as('worker'), 'UPDATE drift_fleet.receipt SET status = status')).toBe('42501');
    expect(await asking(as('worker'), 'DELETE FROM drift_fleet.event')).toBe('42501');
    expect(await asking(as('worker'), "SELECT drift_fleet.withdraw('x', 1, 'y')")).toBe('42501');
    expect(await asking(as('reader'), table('content'))).toBe('42501');
    expect(await asking(as('stranger'), 'SELECT drift_fleet.schema_version()')).toBe('42501');
    expect((await host.ship(as('stranger'))).outcome).toMatchObject({
      ok: false,
      failure: { reason: 'database_refused', detail: '42501' },
    });
  });
});

describe.skipIf(!hasPostgres)('a database', () => {
  it('is migrated once, however many try and however often', async () => {
    const database = await server.database();
    await database.rows('DROP SCHEMA drift_fleet CASCADE');
    await database.rows('DROP SCHEMA drift_fleet_jobs CASCADE');
    const request = { env: database.env, variable, roles: nobody };
    expect((await fleetHost('north').then((host) => host.ship(database.env))).outcome).toMatchObject({
      ok: false,
      failure: { reason: 'database_not_migrated' },
    });
    const migrations = await Promise.all([1, 2, 3].map(() => migrateDatabase(request)));

    expect(migrations.map((done) => done.ok && done.value.applied).sort()).toEqual([0, 0, 1]);
    expect(await migrateDatabase(request)).toEqual({ ok: true, value: { version: 1, applied: 0 } });
  });

  it('of a newer breaking version is left alone', async () => {
    const database = await server.database();
    await database.rows('INSERT INTO drift_fleet.migration (version, breaking) VALUES (2, false)');
    const host = await fleetHost('north');
    expect((await host.ship(database.env)).outcome).toMatchObject({ ok: true });
    await database.rows('INSERT INTO drift_fleet.migration (version, breaking) VALUES (3, true)');

    expect((await host.ship(database.env)).outcome).toMatchObject({
      ok: false,
      failure: { reason: 'database_version_unknown', detail: 'version 3' },
    });
  });

  it('that does not keep what it acknowledges is refused', async () => {
    const database = await server.database();
    await database.rows(`ALTER DATABASE ${database.name} SET synchronous_commit = off`);
    const host = await fleetHost('north');

    expect((await host.ship(database.env)).outcome).toMatchObject({
      ok: false,
      failure: { reason: 'database_unsafe', detail: 'synchronous_commit is off' },
    });
  });
});

describe('the URL of a database', () => {
  const refusal = (url: string | undefined) => {
    const read = readDatabaseUrl({ env: { X: url }, variable: 'X' });
    return read.ok ? 'accepted' : read.failure.reason;
  };

  it.each([
    ['postgres://me@/fleet?host=/var/run/postgresql', 'accepted'],
    ['postgresql://me:word@localhost:5433/fleet', 'accepted'],
    ['postgres://me@[::1]/fleet', 'accepted'],
    ['postgres://me@db.example/fleet?sslmode=verify-full', 'accepted'],
    ['postgres://me@db.example/fleet', 'database_unsafe'],
    ['postgres://me@db.example/fleet?sslmode=no-verify', 'database_unsafe'],
    ['postgres://me@db.example/fleet?sslmode=require', 'database_unsafe'],
    ['postgres://me@localhost/fleet?host=db.example', 'database_unsafe'],
    ['postgres://me@/fleet', 'database_url_invalid'],
    ['mysql://me@localhost/fleet', 'database_url_invalid'],
    ['not a url', 'database_url_invalid'],
    [undefined, 'database_url_invalid'],
  ])('%s is %s', (url, verdict) => {
    expect(refusal(url)).toBe(verdict);
  });

  it('is never told when it is refused', () => {
    const read = readDatabaseUrl({ env: { X: 'postgres://me:s3cret@db.example/fleet' }, variable: 'X' });

    expect(JSON.stringify(read)).not.toContain('s3cret');
  });
});

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
if (hasPostgres && !hasOpenssl)
  process.stderr.write('\nNOT TESTED: no openssl here, so TLS to the fleet is not tested\n');

describe.skipIf(!hasPostgres || !hasOpenssl)('a connection beyond this machine', () => {
  it('is made to the server whose certificate was issued for its name, and to no other', async () => {
    const folder = temporaryFolder();
    const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
    const issue = (name: string): void => {
      const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
      const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
      openssl('req', '-x509', ...key, '-out', `${name}.crt`, '-days', '2', ...subject);
    };
    for (const name of ['localhost', 'elsewhere']) issue(name);
    const database = await server.database();
    const { folder: data, port } = server.running();
    const reach = async (root: string) => {
      const url = `postgres://postgres@localhost:${port}/${database.name}?sslmode=verify-full&sslrootcert=${join(folder, root)}`;
      const pool = await connect({ env: { [variable]: url }, variable, name: 'test', maxConnections: 1 });
      if (pool.ok) {
        const { rows } = await pool.value.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
        await pool.value.end();
        return rows;
      }
      return pool.failure;
    };
    const serve = async (name: string): Promise<void> => {
      const { uid, gid } = statSync(data);
      for (const kind of ['crt', 'key']) {
        const file = join(data, `server.${kind}`);
        copyFileSync(join(folder, `${name}.${kind}`), file);
        chmodSync(file, 0o600);
        if (process.geteuid?.() === 0) chownSync(file, uid, gid);
      }
      await database.rows('ALTER SYSTEM SET ssl = on');
      await database.rows(`ALTER SYSTEM SET ssl_cert_file = '${join(data, 'server.crt')}'`);
      await database.rows(`ALTER SYSTEM SET ssl_key_file = '${join(data, 'server.key')}'`);
      await database.rows('SELECT pg_reload_conf()');
      await expect
        .poll(async () => (await database.rows<{ ssl: string }>('SHOW ssl'))[0]?.ssl, { timeout: 10_000 })
        .toBe('on');
    };
    await serve('localhost');
    expect(await reach('localhost.crt')).toEqual([{ ssl: true }]);
    expect(await reach('elsewhere.crt')).toMatchObject({ reason: 'database_refused' });

    await serve('elsewhere');
    await expect
      .poll(() => reach('elsewhere.crt'), { timeout: 10_000 })
      .toMatchObject({ reason: 'database_refused', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });
});
