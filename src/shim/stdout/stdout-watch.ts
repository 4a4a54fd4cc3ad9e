import { releaseDescriptor } from '../command/descriptors.ts';
import type { RunningCommand } from '../command/start-process.ts';
import type { CommandOutcome } from '../command-outcome.ts';
import type { LaunchFacts } from '../launch/launch-facts.ts';
import { createOutputTail } from './output-tail.ts';
import { openStdoutFile } from './stdout-file.ts';
import { pumpStdout } from './stdout-pump.ts';
import { chooseStdoutRoute, type StdoutRoute } from './stdout-route.ts';
import { openStdoutSink } from './stdout-sink.ts';

/** What was seen of stdout. */
export type Seen = Pick<CommandOutcome, 'stdoutTail' | 'stdoutCut'>;

/** Follows stdout beside the command. */
export interface StdoutWatch {
  /** How the command gets its stdout. */
  readonly route: StdoutRoute;
  /** Whether drift itself still needs descriptor 1 while the command runs. */
  readonly needsStdout: boolean;
  /** To be called when the command has been started. */
  start(command: RunningCommand): void;
  /** To be called when the command has ended; calls back when all that it wrote has been handed on. */
  finish(done: (seen: Seen) => void): void;
}

const unseen: Seen = { stdoutTail: null, stdoutCut: false };

/** @param isWanted if not, stdout is the command's alone */
export function openStdoutWatch(facts: LaunchFacts, isWanted: boolean): StdoutWatch {
  const route = chooseStdoutRoute(facts, isWanted);
  if (route.kind !== 'inherit') return watchPipe(route, facts.nonBlocking.includes(1));
  return isWanted ? watchFile(route) : leaveAlone(route);
}

const leaveAlone = (route: StdoutRoute): StdoutWatch => ({
  route,
  needsStdout: false,
  start: () => undefined,
  finish: (done) => done(unseen),
});

function watchFile(route: StdoutRoute): StdoutWatch {
  const file = openStdoutFile();
  if (file === null) return leaveAlone(route);
  return {
    route,
    needsStdout: true,
    start: () => undefined,
    finish(done) {
      const read = file.read();
      done(read ? { stdoutTail: read.tail, stdoutCut: read.isCut } : unseen);
    },
  };
}

function watchPipe(route: Exclude<StdoutRoute, { kind: 'inherit' }>, isNonBlocking: boolean): StdoutWatch {
  const isPipe = route.kind === 'pipe';
  const tail = createOutputTail();
  let finish = (done: () => void): void => done();
  return {
    route,
    needsStdout: true,
    start(command) {
      // The command's copy must be the last one, or the end of its output would never be seen.
      if (isPipe) releaseDescriptor(route.stdout);
      // Not loaded before: the command did not have to wait for it.
      const { Socket } = process.getBuiltinModule('node:net');
      const source = isPipe ? new Socket({ fd: route.readEnd, writable: false }) : command.stream(1);
      if (source) finish = pumpStdout(source, openStdoutSink({ isPipe, isNonBlocking }), tail).finish;
    },
    finish: (done) => finish(() => done({ stdoutTail: tail.bytes(), stdoutCut: tail.isCut() })),
  };
}
