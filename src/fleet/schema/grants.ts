/** What a login is for. `reader` sees `fleet status` and nothing else. */
export const fleetRoles = ['host', 'worker', 'reader'] as const;
export type FleetRole = (typeof fleetRoles)[number];

const hostFunctions = [
  'hello(text, text, text, text, bigint, text, text, text, text)',
  'stored_digest(text, bigint)',
  'open_batch(text, text[], interval)',
  'put_texts(text, bytea[], interval)',
  'push(text, text, bigint[], text[], text[], text[], text[], text[], text[], timestamptz[])',
  'report(text, bigint, bigint)',
  'receipts(text, bigint, integer)',
  'withdraw(text, bigint, text)',
];
const workerFunctions = [
  'take(text, text, interval)',
  'finish(text, bigint, bigint, interval, text, text, text)',
  'renew(text, bigint, interval)',
  'release(text, bigint, boolean)',
  'sweep(text, text)',
  'forget()',
];
const engineTables = ['_private_jobs', '_private_job_queues', '_private_tasks', '_private_known_crontabs'];

const may = (functions: readonly string[], role: string): string[] =>
  functions.map((name) => `GRANT EXECUTE ON FUNCTION drift_fleet.${name} TO ${role};`);

/** The engine turns on row security and writes no policy, because it expects its owner. Rights on the table still decide. */
const openRows = (table: string): string => `
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_policies WHERE schemaname = 'drift_fleet_jobs' AND tablename = '${table}') THEN
    CREATE POLICY drift_workers ON drift_fleet_jobs.${table} USING (true) WITH CHECK (true);
  END IF;
END $$;`;

const engineRights = (role: string): string[] => [
  `GRANT USAGE ON SCHEMA drift_fleet_jobs TO ${role};`,
  `GRANT SELECT ON drift_fleet_jobs.migrations TO ${role};`,
  `GRANT USAGE ON ALL SEQUENCES IN SCHEMA drift_fleet_jobs TO ${role};`,
  ...engineTables.flatMap((table) => [
    `GRANT SELECT, INSERT, UPDATE, DELETE ON drift_fleet_jobs.${table} TO ${role};`,
    openRows(table),
  ]),
];

const rights: Readonly<Record<FleetRole, (role: string) => string[]>> = {
  host: (role) => may(hostFunctions, role),
  worker: (role) => [
    ...may(workerFunctions, role),
    `GRANT SELECT ON drift_fleet.event, drift_fleet.content, drift_fleet.basis, drift_fleet.terms TO ${role};`,
    ...engineRights(role),
  ],
  reader: (role) => [`GRANT SELECT ON drift_fleet.spool_status, drift_fleet.worker TO ${role};`],
};

/**
 * The statements that let a login do its part. May be run again.
 *
 * @param role an identifier, quoted where it must be
 */
export const grantStatements = (kind: FleetRole, role: string): string =>
  [
    `GRANT USAGE ON SCHEMA drift_fleet TO ${role};`,
    `GRANT EXECUTE ON FUNCTION drift_fleet.schema_version() TO ${role};`,
    ...rights[kind](role),
  ].join('\n');
