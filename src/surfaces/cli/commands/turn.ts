import { resolve } from 'node:path';
import { exitCode } from '../../../contract/exit-code.ts';
import type { Failure } from '../../../contract/failure.ts';
import { fail, ok, type Result } from '../../../contract/result.ts';
import { type LogFormat, logFormats, type Supervision, type TurnEnd } from '../../../contract/turn.ts';
import { classifySessionLog, compatibleView } from '../../../turn/classify-session-log.ts';
import { commandHost } from '../../../turn/command-host.ts';
import { supervise } from '../../../turn/supervise.ts';
import { type Answer, type CommonArguments, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { describeReading, describeSupervision } from '../render/turn.ts';

interface TurnArguments extends CommonArguments {
  readonly log?: string | undefined;
  readonly format: string;
  readonly turn?: string | undefined;
  readonly compat?: string | undefined;
  readonly sendCmd?: string | undefined;
  readonly waitCmd?: string | undefined;
  readonly askCmd?: string | undefined;
  readonly maxResumes: number;
  readonly graceMs: number;
  readonly pollMs: number;
  readonly watchdogFlag?: string | undefined;
  readonly watchdogMarker?: string | undefined;
}

const exits: Readonly<Record<TurnEnd, number>> = {
  stop: exitCode.done,
  aborted: exitCode.turnAborted,
  compaction: exitCode.turnCompaction,
  error: exitCode.turnError,
  unfinished: exitCode.turnUnfinished,
};

export const command = defineCommand({
  usage: 'turn classify --log FILE | turn supervise --log FILE --send-cmd CMD --wait-cmd CMD',
  describe:
    'Says how the last turn in a session log of pi, Claude Code or Codex really ended: stop (0), aborted (10), compaction (11), error (12) or unfinished (13): begun, and nothing ended it. supervise resumes a turn across compactions, lets somebody steer it after an interrupt, and then says the same. CMD is a shell line: --send-cmd gets the message on its standard input, --wait-cmd ends when the session is idle, --ask-cmd prints how to go on.',
  examples: [
    ['drift turn classify --log session.jsonl && ./next-step.sh', 'goes on only after a turn that stopped'],
    [
      "drift turn supervise --log session.jsonl --send-cmd './send.sh' --wait-cmd './wait-idle.sh'",
      'resumes what a compaction parked',
    ],
  ],
  exits: [
    ['0', 'stop'],
    ['10', 'aborted'],
    ['11', 'compaction'],
    ['12', 'error'],
    ['13', 'unfinished'],
  ],
  build: (yargs) =>
    yargs
      .demandCommand(0, 1)
      .option('log', { type: 'string', describe: 'the session log' })
      .option('format', {
        type: 'string',
        choices: ['auto', ...logFormats],
        default: 'auto',
        describe: 'whose log it is',
      })
      .option('turn', { type: 'string', describe: 'another turn than the last one, by its id' })
      .option('compat', {
        type: 'string',
        choices: ['pi-task'],
        describe: 'only four ends, unfinished being a stop',
      })
      .option('send-cmd', { type: 'string', describe: 'sends a message to the idle session' })
      .option('wait-cmd', { type: 'string', describe: 'ends when the session is idle' })
      .option('ask-cmd', { type: 'string', describe: 'prints how to go on after an interrupt; blank pauses' })
      .option('max-resumes', { type: 'number', default: 20, describe: 'resumes across compactions at most' })
      .option('grace-ms', {
        type: 'number',
        default: 10_000,
        describe: "for a watchdog's own recovery to show",
      })
      .option('poll-ms', { type: 'number', default: 100, describe: 'how often to look for it' })
      .option('watchdog-flag', { type: 'string', describe: 'file that a watchdog makes before it aborts' })
      .option('watchdog-marker', { type: 'string', describe: 'text by which its reminder is known' }),
  run: async (args: TurnArguments, io): Promise<Result<Answer, Failure>> => {
    const verb = args._[0];
    if (verb !== 'classify' && verb !== 'supervise')
      return usage(verb === undefined ? 'say turn classify or turn supervise' : `turn has no ${verb}`);
    if (!args.log) return usage('--log is missing', '--log');
    return verb === 'classify' ? classify(args, args.log, io) : superviseTurn(args, args.log, io);
  },
});

const usage = (detail: string, field?: string): Result<never, Failure> =>
  fail({ reason: 'usage', detail, ...(field ? { field } : {}) });

const formatOf = ({ format }: TurnArguments): LogFormat | undefined =>
  logFormats.find((known) => known === format);

function classify(args: TurnArguments, log: string, { cwd }: Io): Result<Answer, Failure> {
  const read = classifySessionLog(resolve(cwd, log), { format: formatOf(args), turnId: args.turn });
  if (!read.ok) return read;
  const { isReminded: _reminded, ...reading } = read.value;
  const shown = args.compat === undefined ? reading : compatibleView(reading);
  return ok({
    document: { schema: 'drift_turn_v1', ...shown },
    text: describeReading(shown),
    exit: exits[shown.end],
  });
}

async function superviseTurn(
  args: TurnArguments,
  log: string,
  { cwd, env }: Io,
): Promise<Result<Answer, Failure>> {
  const { sendCmd, waitCmd, maxResumes, graceMs, pollMs } = args;
  if (!sendCmd) return usage('--send-cmd is missing', '--send-cmd');
  if (!waitCmd) return usage('--wait-cmd is missing', '--wait-cmd');
  for (const [option, value] of Object.entries({ maxResumes, graceMs, pollMs }))
    if (!Number.isInteger(value) || value < 0) return usage(`${option} must be a whole number`, option);
  const host = commandHost({
    log: resolve(cwd, log),
    format: formatOf(args),
    sendCmd,
    waitCmd,
    askCmd: args.askCmd,
    watchdogFlag: args.watchdogFlag === undefined ? undefined : resolve(cwd, args.watchdogFlag),
    watchdogMarker: args.watchdogMarker,
    cwd,
    env: { ...env },
  });
  const supervised = await supervise(host, { maxResumes, graceMs, pollMs });
  if (!supervised.ok) return supervised;
  const { value } = supervised;
  return ok({
    document: { schema: 'drift_supervise_v1', ...value },
    text: describeSupervision(value),
    exit: exitOf(value),
  });
}

const exitOf = ({ interrupted, end }: Supervision): number =>
  interrupted ? exitCode.turnAborted : exits[end];
