import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { defaultUrlVariable } from '../../../fleet/database/read-url.ts';
import { readFleetStatus } from '../../../fleet/fleet-status.ts';
import { joinFleet, leaveFleet } from '../../../fleet/host/membership.ts';
import { migrateDatabase } from '../../../fleet/schema/migrate.ts';
import { type Answer, type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { loadFor } from '../load.ts';
import { renderFleet } from '../render/fleet.ts';

interface FleetArguments extends CommonArguments {
  readonly databaseUrlEnv: string;
  readonly hostRole: readonly string[];
  readonly workerRole: readonly string[];
  readonly readerRole: readonly string[];
  readonly abandon: boolean;
}

export const command = defineCommand({
  usage: 'fleet status | migrate | join | leave',
  describe:
    'status: what every host and goal of the fleet waits for. migrate: bring the database to this version and give logins their rights; run it as the owner, as often as you like. join: let the fleet judge the events of the observer here. leave: judge them here again.',
  examples: [
    ['drift fleet migrate --host-role drift_host --worker-role drift_worker', 'prepare a database'],
    ['drift fleet join && drift drain --ship', 'hand the judging over and send what is queued'],
    ['drift fleet status --json', 'for scripts: backlog, age, lag and dead letters per host and goal'],
  ],
  build: (yargs) =>
    yargs
      .demandCommand(1, 1)
      .option('database-url-env', {
        type: 'string',
        default: defaultUrlVariable,
        describe: "the variable that holds the database's URL (status, migrate)",
      })
      .option('host-role', list('a login that hosts use (migrate)'))
      .option('worker-role', list('a login that workers use (migrate)'))
      .option('reader-role', list('a login that may see the status (migrate)'))
      .option('abandon', {
        type: 'boolean',
        default: false,
        describe: 'leave although results are outstanding; those events are judged here too',
      }),
  run: async (args, io) => {
    const word = String(args._[0]);
    const act = Object.hasOwn(actions, word) ? actions[word] : undefined;
    if (act) return act(args, io);
    return fail({
      reason: 'usage',
      field: 'fleet',
      detail: `there is no fleet ${word}; see drift fleet --help`,
    });
  },
});

const list = (describe: string) =>
  ({ type: 'string', array: true, default: [] as string[], describe }) as const;

type Action = (args: FleetArguments, io: Io) => Promise<Result<Answer, Failure>>;

const actions: Readonly<Record<string, Action>> = {
  status: async ({ databaseUrlEnv }, io) => {
    const status = await readFleetStatus({ env: io.env, variable: databaseUrlEnv });
    return status.ok ? ok({ document: status.value, text: renderFleet(status.value) }) : status;
  },
  migrate: async ({ databaseUrlEnv, hostRole, workerRole, readerRole }, io) => {
    const roles = { host: hostRole, worker: workerRole, reader: readerRole };
    const migrated = await migrateDatabase({ env: io.env, variable: databaseUrlEnv, roles });
    if (!migrated.ok) return migrated;
    const { version, applied } = migrated.value;
    const granted = [...hostRole, ...workerRole, ...readerRole].length;
    return ok({
      document: { status: 'migrated', version, applied, roles_granted: granted },
      text: `The database is at version ${version} (${applied} step(s) now); ${granted} login(s) got their rights.`,
    });
  },
  join: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    const joined = await joinFleet(loaded.value);
    if (!joined.ok) return joined;
    const { status, mode } = joined.value;
    return ok({
      document: { status, spool_id: mode.spool_id, first_sequence: mode.first_sequence },
      text: `The fleet judges this observer's events from #${mode.first_sequence} on.\nNext: drift drain --ship, now and then or with --watch-seconds 0.`,
    });
  },
  leave: async (args, io) => {
    const loaded = loadFor(args, io);
    if (!loaded.ok) return loaded;
    const left = await leaveFleet(loaded.value, args);
    if (!left.ok) return left;
    return ok({ document: left.value, text: 'The events of this observer are judged here: drift drain.' });
  },
};
