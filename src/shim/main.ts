import { type Capture, openCapture } from './capture.ts';
import { completeCommand } from './command-line.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { endProcess } from './end-process.ts';
import { restoreEnvironment } from './environment.ts';
import { readLaunch } from './launch-facts.ts';
import { runCommand } from './run-command.ts';

/** A capture that never settles must not hold the host; its own retries end long before. */
const CAPTURE_MS = 10_000;

// Node would answer this one by opening a debugger's port, and say so on stderr.
if (process.platform !== 'win32') process.on('SIGUSR1', () => undefined);
// Every socket that is destroyed asks whether it is process.stderr. The answer would open descriptor 2 as a stream, which
// makes a pipe non-blocking for everybody who shares it.
Object.defineProperty(process, 'stderr', { value: undefined });
// Whatever goes wrong in the bookkeeping is not the host's: the command runs on, and its end is drift's.
process.on('uncaughtException', () => undefined);

const { facts, options, command: words } = readLaunch(process.argv.slice(2));
const command = completeCommand(words);
restoreEnvironment(facts);
const capture = open();
runCommand(command, { facts, isWatched: capture?.wantsStdout ?? false }, finish);

function open(): Capture | null {
  try {
    return openCapture(options, command);
  } catch {
    return null;
  }
}

function finish(outcome: CommandOutcome): void {
  const end = (): void => endProcess(outcome.exitCode, outcome.signal);
  if (capture === null) {
    end();
    return;
  }
  setTimeout(end, CAPTURE_MS);
  // Within `then`, where a capture that throws at once is a rejection too.
  Promise.resolve(outcome)
    .then((ended) => capture.afterCommand(ended))
    .then(end, end);
}
