import type { Socket } from 'node:net';
import type { CommandOutcome } from '../command-outcome.ts';
import type { LaunchFacts } from '../launch/launch-facts.ts';
import { monotonicMs } from '../monotonic-ms.ts';
import { readRawBytes } from '../start/raw-bytes.ts';
import { describeStartFailure, tellStartFailure } from '../start/start-failure.ts';
import { planStart } from '../start/start-plan.ts';
import type { StdoutRoute } from '../stdout/stdout-route.ts';
import { openStdoutWatch, type Seen } from '../stdout/stdout-watch.ts';
import { planDescriptors, releaseDescriptor } from './descriptors.ts';
import { forwardSignals } from './forward-signals.ts';
import { type Listener, type RunningCommand, startProcess } from './start-process.ts';

interface Surroundings {
  readonly facts: LaunchFacts;
  /** Whether the end of stdout is wanted; if not, stdout is the command's alone. */
  readonly watchesStdout: boolean;
  /** Whether drift may want to say something on stderr when the command has ended. */
  readonly keepsStderr: boolean;
}

/**
 * Runs the command in drift's place: its descriptors, arguments, environment, limits and signals are the caller's.
 * Never throws; what keeps the command from starting becomes exit 126 or 127, as a shell has it.
 *
 * @param ended called once, when the command has ended and its output has been handed on
 */
export function runCommand(
  command: readonly string[],
  { facts, watchesStdout, keepsStderr }: Surroundings,
  ended: (outcome: CommandOutcome) => void,
): void {
  const startedAt = Date.now();
  const start = monotonicMs();
  const end = (exitCode: number | null, signal: NodeJS.Signals | null, seen: Seen): void =>
    ended({ exitCode, signal, startedAt, durationMs: monotonicMs() - start, ...seen });
  const watch = openStdoutWatch(facts, watchesStdout);
  const signals = forwardSignals(facts.hasTerminal);
  const child = startCommand(command, facts, watch.route, {
    ended: (exitCode, signal) => watch.finish((seen) => end(exitCode, signal, seen)),
    failed: (error) => {
      const failure = describeStartFailure(command[0] ?? '', error);
      tellStartFailure(failure);
      end(failure.exitCode, null, { stdoutTail: null, stdoutCut: false });
    },
  });
  if (child === null) return;
  signals.to(child);
  watch.start(child);
  release(facts, { keepsStdout: watch.needsStdout, keepsStderr });
}

function startCommand(
  command: readonly string[],
  facts: LaunchFacts,
  route: StdoutRoute,
  listener: Listener,
): RunningCommand | null {
  const variables = { ...process.env };
  const raw = readRawBytes(command, variables);
  for (const name of raw?.misreadNames ?? []) delete variables[name];
  const descriptors = planDescriptors(facts, route, raw !== null);
  const plan = planStart(command, { facts, variables, descriptors, raw });
  const child = startProcess(plan, descriptors.stdio, facts.nodeParts.spawn, listener);
  if (plan.script !== null && descriptors.scriptDescriptor !== null)
    deliver(plan.script, child?.stream(descriptors.scriptDescriptor));
  return child;
}

function deliver(script: Buffer, stream: Socket | null | undefined): void {
  stream?.on('error', () => undefined);
  stream?.end(script);
}

/** The command has its own copies; drift keeps only what it needs, see `releaseDescriptor`. */
function release(
  { descriptors }: LaunchFacts,
  { keepsStdout, keepsStderr }: { keepsStdout: boolean; keepsStderr: boolean },
): void {
  for (const descriptor of descriptors ?? []) if (descriptor > 2) releaseDescriptor(descriptor);
  releaseDescriptor(0);
  if (!keepsStdout) releaseDescriptor(1);
  if (!keepsStderr) releaseDescriptor(2);
}
