import { readFileSync } from 'node:fs';
import yargs from 'yargs';
import { exitCode } from '../../contract/exit-code.ts';
import type { Failure } from '../../contract/failure.ts';
import { nearestName } from '../../contract/nearest-name.ts';
import { type AnyCommand, type CommonArguments, exitsOf } from './command.ts';
import { commands } from './commands.ts';
import { complete, completionRequest } from './complete.ts';
import { endBySignal } from './end-by-signal.ts';
import { type Io, processIo } from './io.ts';
import { describeFailure, failureDocument } from './render/failure.ts';

/** A reader that goes away early (`drift status | head`) is no error. */
const ignoreClosedReader = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error;
};

/** An exit status, or the signal that ended a wrapped command and has to end drift as well. */
export type Exit = number | NodeJS.Signals;

/**
 * Runs one command of drift and gives its exit status back (design §5). `argv` starts after the program's name.
 * Bugs are caught here and nowhere else: exit 70, with the stack when DRIFT_DEBUG is set.
 */
export async function main(argv: readonly string[], io: Io): Promise<Exit> {
  const cut = argv.indexOf('--');
  const own = cut < 0 ? argv : argv.slice(0, cut);
  const rest = cut < 0 ? null : argv.slice(cut + 1);
  const json = own.includes('--json');
  try {
    return await dispatch([...own], rest, io, json);
  } catch (error) {
    return reportBug(error, io, json);
  }
}

async function dispatch(own: string[], rest: readonly string[] | null, io: Io, json: boolean): Promise<Exit> {
  const [name, ...words] = own;
  if (name === '--version') return say(io, version());
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    say(io, overview());
    return name === undefined ? exitCode.usage : exitCode.done;
  }
  if (name === completionRequest) {
    await complete(words);
    return exitCode.done;
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry) return refuse(unknownCommand(name), io, json);
  return runCommand((await entry.load()).command, { name, words, rest }, io, json);
}

interface Call {
  readonly name: string;
  readonly words: readonly string[];
  readonly rest: readonly string[] | null;
}

async function runCommand(command: AnyCommand, call: Call, io: Io, json: boolean): Promise<Exit> {
  const parsed = await parse(command, call, io);
  const refused = (failure: Failure): Exit => {
    const usual = refuse(failure, io, json);
    return command.refusalExit?.(call.words) ?? usual;
  };
  if ('failure' in parsed) return refused(parsed.failure);
  if ('help' in parsed) return say(io, parsed.help);
  const result = await command.run({ ...parsed.args, rest: call.rest } as never, io);
  if (!result.ok) return refused(result.failure);
  const { document, text, exit } = result.value;
  if (json) say(io, JSON.stringify(document, null, 2));
  else if (text !== '') say(io, text);
  return exit ?? exitCode.done;
}

type Parsed = { args: CommonArguments } | { help: string } | { failure: Failure };

async function parse(command: AnyCommand, call: Call, io: Io): Promise<Parsed> {
  let complaint: string | undefined;
  const parser = command
    .build(yargs([]).scriptName('drift').usage(`drift ${command.usage}\n\n${command.describe}`))
    .option('json', { type: 'boolean', default: false, describe: 'print exactly one JSON document' })
    .option('state-dir', { type: 'string', describe: 'where the observer lives (DRIFT_STATE_DIR)' })
    .option('config', { type: 'string', describe: command.config ?? 'another config.json (DRIFT_CONFIG)' })
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .locale('en')
    .wrap(io.columns)
    .version(false)
    .help('help')
    .alias('help', 'h')
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      complaint = message ?? error?.message ?? 'wrong usage';
    });
  for (const [line, meaning] of command.examples) parser.example(line, meaning);
  parser.epilogue(
    `Exit: ${exitsOf(command)
      .map((each) => each.join(' '))
      .join('; ')}`,
  );
  let help = '';
  const args = await parser.parse([...call.words], {}, (_error: unknown, _argv: unknown, output: string) => {
    help = output;
  });
  if (complaint !== undefined) return { failure: { reason: 'usage', detail: complaint, field: call.name } };
  if (help !== '') return { help };
  return { args: settleDuplicates(args as unknown as Record<string, unknown>, parser) };
}

/** An option that is no list and stands twice means its last value; only `--state-dir` keeps all of them apart. */
function settleDuplicates(args: Record<string, unknown>, parser: unknown): CommonArguments {
  const { array } = (parser as { getOptions(): { array: string[] } }).getOptions();
  const lists = new Set(array.flatMap((name) => [name, camelCase(name)]));
  const settled = Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const duplicated = Array.isArray(value) && key !== '_' && !lists.has(key);
      return [key, duplicated ? value.at(-1) : value];
    }),
  );
  return { ...settled, stateDirs: [args['stateDir'] ?? []].flat() } as unknown as CommonArguments;
}

const camelCase = (name: string): string =>
  name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

function unknownCommand(name: string): Failure {
  const nearest = nearestName(name, Object.keys(commands));
  return {
    reason: 'usage',
    field: name,
    detail: `there is no command ${name}`,
    ...(nearest ? { nearest: `drift ${nearest}` } : {}),
  };
}

function refuse(failure: Failure, io: Io, json: boolean): number {
  const { message, hint } = describeFailure(failure);
  io.stderr.write(`drift: ${message}\n${hint}\n`);
  if (json) say(io, JSON.stringify(failureDocument(failure), null, 2));
  return failure.reason === 'ledger_unavailable' ? exitCode.storeUnavailable : exitCode.usage;
}

function reportBug(error: unknown, io: Io, json: boolean): number {
  const text = error instanceof Error ? error.message : String(error);
  const stack = io.env['DRIFT_DEBUG'] && error instanceof Error ? `\n${error.stack}` : '';
  io.stderr.write(
    `drift: this is a bug in drift ${version()} on Node ${process.versions.node}: ${text}${stack}\n` +
      'Please report it with the command you ran; DRIFT_DEBUG=1 adds the stack.\n',
  );
  if (json)
    say(
      io,
      JSON.stringify({ ok: false, error: { reason: 'bug', file: null, field: null, hint: text } }, null, 2),
    );
  return exitCode.bug;
}

function say(io: Io, text: string): number {
  io.stdout.write(`${text}\n`);
  return exitCode.done;
}

function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length)) + 2;
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`);
  return [
    'drift tells, from the files alone, whether an agent that says "advanced" every turn is getting anywhere.',
    '',
    'usage: drift <command> [options]        drift <command> --help',
    '',
    ...lines,
    '',
    'Every command: --json prints exactly one JSON document. Exit: 0 done; 1 a finding; 2 usage or bad input;',
    '70 a bug in drift. refresh, check, gate and turn have exits of their own: see their --help.',
  ].join('\n');
}

function version(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The entry of `bin/drift` for every command but a wrapping `refresh`. */
export async function start(): Promise<void> {
  process.stdout.on('error', ignoreClosedReader);
  process.stderr.on('error', ignoreClosedReader);
  const exit = await main(process.argv.slice(2), processIo());
  if (typeof exit === 'number') process.exitCode = exit;
  else await endBySignal(exit);
}
