import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { CommandOutcome } from './command-outcome.ts';
import { planDescriptors, releaseDescriptor } from './descriptors.ts';
import { forwardSignals } from './forward-signals.ts';
import type { LaunchFacts } from './launch-facts.ts';
import { createOutputTail } from './output-tail.ts';
import { readRawBytes } from './raw-bytes.ts';
import { describeStartFailure, tellStartFailure } from './start-failure.ts';
import { planStart } from './start-plan.ts';
import { openStdoutFile } from './stdout-file.ts';
import { pumpStdout, type StdoutPump } from './stdout-pump.ts';
import { chooseStdoutRoute, type StdoutRoute } from './stdout-route.ts';
import { openStdoutSink } from './stdout-sink.ts';

/** What was seen of stdout. */
type Seen = Pick<CommandOutcome, 'stdoutTail' | 'stdoutCut'>;

/** Follows stdout beside the command. */
interface StdoutWatch {
  finish(done: (seen: Seen) => void): void;
}

const unseen: Seen = { stdoutTail: null, stdoutCut: false };

/**
 * Runs the command in drift's place: its descriptors, arguments, environment, limits and signals are the caller's.
 * Never throws; what keeps the command from starting becomes exit 126 or 127, as a shell has it.
 *
 * @param isWatched whether the end of stdout is wanted; if not, stdout is the command's alone
 * @param ended called once, when the command has ended and its output has been handed on
 */
export function runCommand(
  command: readonly string[],
  { facts, isWatched }: { readonly facts: LaunchFacts; readonly isWatched: boolean },
  ended: (outcome: CommandOutcome) => void,
): void {
  const startedAt = Date.now();
  const start = process.hrtime();
  const route = chooseStdoutRoute(facts.pipe, isWatched);
  const file = isWatched && route.kind === 'inherit' ? openStdoutFile() : null;
  const end = (exitCode: number | null, signal: NodeJS.Signals | null, seen: Seen): void =>
    ended({ exitCode, signal, startedAt, durationMs: millisecondsSince(start), ...seen });
  const fail = (error: unknown): void => {
    const failure = describeStartFailure(command[0] ?? '', error);
    tellStartFailure(failure);
    end(failure.exitCode, null, unseen);
  };

  const signals = forwardSignals(facts.hasTerminal);
  let child: ChildProcess;
  try {
    child = startChild(command, facts, route);
  } catch (error) {
    // The kernel's limit on arguments is one of the errors that spawn throws.
    fail(error);
    return;
  }
  child.on('error', (error) => {
    if (child.pid === undefined) fail(error);
  });
  if (child.pid === undefined) return;
  signals.to(child);
  const watch = watchStdout(route, child, file);
  release(facts, { keepsStdout: route.kind !== 'inherit' || file !== null, keepsStderr: isWatched });
  child.on('exit', (exitCode, signal) => watch.finish((seen) => end(exitCode, signal, seen)));
}

/** Not `performance.now()`, whose first call costs a millisecond. */
function millisecondsSince(start: [number, number]): number {
  const [seconds, nanoseconds] = process.hrtime(start);
  return seconds * 1_000 + nanoseconds / 1e6;
}

function startChild(command: readonly string[], facts: LaunchFacts, route: StdoutRoute): ChildProcess {
  const raw = readRawBytes(command, facts);
  const descriptors = planDescriptors(facts, route, raw !== null);
  const { file, args, env, script } = planStart(command, { facts, descriptors, raw });
  const child = spawn(file, args, { stdio: [...descriptors.stdio], ...(env ? { env } : {}) });
  if (script !== null && descriptors.scriptDescriptor !== null)
    deliver(script, child, descriptors.scriptDescriptor);
  if (route.kind === 'pipe') releaseDescriptor(route.stdout);
  return child;
}

function deliver(script: Buffer, child: ChildProcess, descriptor: number): void {
  const stream = child.stdio[descriptor];
  if (!(stream instanceof Socket)) return;
  stream.on('error', () => undefined);
  stream.end(script);
}

function watchStdout(
  route: StdoutRoute,
  child: ChildProcess,
  file: ReturnType<typeof openStdoutFile>,
): StdoutWatch {
  if (route.kind === 'inherit') return watchFile(file);
  const source =
    route.kind === 'pipe' ? new Socket({ fd: route.readEnd, writable: false }) : (child.stdout as Socket);
  const tail = createOutputTail();
  const pump: StdoutPump = pumpStdout(source, openStdoutSink(route.kind === 'pipe'), tail);
  return {
    finish: (done) => pump.finish(() => done({ stdoutTail: tail.bytes(), stdoutCut: tail.isCut() })),
  };
}

function watchFile(file: ReturnType<typeof openStdoutFile>): StdoutWatch {
  return {
    finish(done) {
      const read = file?.read() ?? null;
      done(read ? { stdoutTail: read.tail, stdoutCut: read.isCut } : unseen);
    },
  };
}

/** The command has its own copies; drift keeps only what it needs, see `releaseDescriptor`. */
function release(
  facts: LaunchFacts,
  { keepsStdout, keepsStderr }: { keepsStdout: boolean; keepsStderr: boolean },
): void {
  const inherited = [...(facts.descriptors ?? [])].filter((descriptor) => descriptor > 2);
  for (const descriptor of inherited) releaseDescriptor(descriptor);
  releaseDescriptor(0);
  if (!keepsStdout) releaseDescriptor(1);
  if (!keepsStderr) releaseDescriptor(2);
}
