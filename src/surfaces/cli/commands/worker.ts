import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from '../../../contract/config.ts';
import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { defaultUrlVariable } from '../../../fleet/database/read-url.ts';
import { runWorker } from '../../../fleet/worker/run-worker.ts';
import { loadConfig } from '../../../observer/load-observer.ts';
import { stateLayout } from '../../../spool/state-layout.ts';
import { type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { describeFailure } from '../render/failure.ts';
import { untilSignalled } from '../until-signalled.ts';

export const command = defineCommand({
  usage: 'worker [--concurrency N] [--once]',
  describe:
    'Judges the events of a fleet on this machine. It needs the database and nothing else: no observer, no workspace. Start as many as you like. --config names the configuration whose system_one block says where requests may go; without it nothing is sent.',
  examples: [
    ['drift worker', 'judge until SIGTERM; the database is in DRIFT_DATABASE_URL'],
    ['drift worker --once --json', 'judge what is waiting, then end'],
  ],
  build: (yargs) =>
    yargs
      .option('database-url-env', {
        type: 'string',
        default: defaultUrlVariable,
        describe: "the variable that holds the database's URL",
      })
      .option('concurrency', { type: 'number', default: 2, describe: 'goals judged at the same time' })
      .option('lease-seconds', {
        type: 'number',
        default: 60,
        describe: 'after this long without a sign of life another worker takes a goal over',
      })
      .option('sweep-seconds', {
        type: 'number',
        default: 30,
        describe: 'how often to look for goals that a dead worker left',
      })
      .option('once', { type: 'boolean', default: false, describe: 'judge what is waiting, then end' }),
  run: async (args, io) => {
    const bad = badNumber({
      concurrency: args.concurrency,
      'lease-seconds': args.leaseSeconds,
      'sweep-seconds': args.sweepSeconds,
    });
    if (bad) return fail(bad);
    const config = ownConfig(args, io);
    if (!config.ok) return config;
    const requestFolder = stateLayout(resolve(io.cwd, args.stateDir ?? '.drift')).requests;
    return untilSignalled(async (signal) => {
      const outcome = await runWorker({
        env: io.env,
        variable: args.databaseUrlEnv,
        means: { config: config.value, env: io.env, now: io.now, requestFolder },
        concurrency: args.concurrency,
        leaseMs: args.leaseSeconds * 1_000,
        sweepMs: args.sweepSeconds * 1_000,
        once: args.once,
        signal,
        clock: () => performance.now(),
        onReady: () => io.stderr.write(`drift: worker on ${hostname()} is listening\n`),
        onTrouble: (failure) => io.stderr.write(`drift: ${describeFailure(failure).message}\n`),
      });
      if (!outcome.ok) return outcome;
      const { finished, fenced } = outcome.value;
      const text = `${finished} judged${fenced > 0 ? `, ${fenced} given up to another worker` : ''}`;
      return ok({ document: outcome.value, text });
    });
  },
});

/** Only a configuration that is named counts: the worker must not take up whatever lies where it was started. */
function ownConfig({ config }: CommonArguments, io: Io): Result<Config | null, Failure> {
  const named = config ?? io.env['DRIFT_CONFIG'];
  if (!named) return ok(null);
  const loaded = loadConfig(resolve(io.cwd, named));
  return loaded.ok ? ok(loaded.value.config) : loaded;
}

function badNumber(values: Record<string, number>): Failure | null {
  const wrong = Object.entries(values).find(([, value]) => !(value > 0));
  return wrong ? { reason: 'usage', field: wrong[0], detail: `--${wrong[0]} takes a number above 0` } : null;
}
