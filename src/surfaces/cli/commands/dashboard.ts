import { fail, ok } from '../../../contract/result.ts';
import { startDashboard } from '../../dashboard/start-dashboard.ts';
import { defineCommand } from '../command.ts';
import { describeFailure } from '../render/failure.ts';

const MAX_PORT = 65_535;

export const command = defineCommand({
  usage: 'dashboard [--port N] [--state-dir DIR…]',
  describe:
    'Serves the progress-review page on this machine until Ctrl-C. The first line printed is its URL with a random token; only policy and labels can be written.',
  examples: [
    ['drift dashboard', 'on any free port'],
    ['drift dashboard --port 8123 --state-dir a/.drift --state-dir b/.drift', 'two goals'],
  ],
  build: (yargs) =>
    yargs.option('port', { type: 'number', default: 0, describe: 'port on 127.0.0.1 (0: any free one)' }),
  run: async (args, io) => {
    if (!Number.isInteger(args.port) || args.port < 0 || args.port > MAX_PORT)
      return fail({ reason: 'usage', field: 'port', detail: `--port takes 0 to ${MAX_PORT}` });
    const { env, cwd, now } = io;
    const states = args.stateDirs.length > 0 ? args.stateDirs : [undefined];
    const started = await startDashboard({
      observers: states.map((stateDir) => ({ stateDir, config: args.config, env, cwd })),
      port: args.port,
      where: { env, cwd },
      now,
      describe: describeFailure,
    });
    if (!started.ok) return started;
    const { url, port, goals, close } = started.value;
    const end = (): void => void close();
    process.once('SIGINT', end).once('SIGTERM', end);
    const text = io.tty.stdout
      ? `${url}\nOpen it in a browser of this machine. Ctrl-C ends the dashboard.`
      : url;
    return ok({ document: { status: 'serving', url, port, goals }, text });
  },
});
