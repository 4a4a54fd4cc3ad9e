import { writeSync } from 'node:fs';
import { hashBy, loadHash } from '../spool/lazy-crypto.ts';
import { type Capture, openCapture } from './capture.ts';
import { endProcess } from './command/end-process.ts';
import { runCommand } from './command/run-command.ts';
import { runOnWindows } from './command/run-on-windows.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { completeCommand } from './launch/command-line.ts';
import { createDirectHash } from './launch/direct-hash.ts';
import { restoreEnvironment } from './launch/environment.ts';
import { readLaunch } from './launch/launch-facts.ts';

const { facts, options, command: words } = readLaunch(process.argv.slice(2));
const command = completeCommand(words);
let capture: Capture | null = null;

if (command.length === 0) {
  writeSync(2, 'drift refresh: there is no command; write it after --\n');
  process.exitCode = 2;
} else if (process.platform === 'win32') runOnWindows(command);
else wrap();

function wrap(): void {
  // Node would answer this one by opening a debugger's port, and say so on stderr.
  process.on('SIGUSR1', () => undefined);
  // Every socket that is destroyed asks whether it is process.stderr. The answer would open descriptor 2 as a stream,
  // which makes a pipe non-blocking for everybody who shares it.
  Object.defineProperty(process, 'stderr', { value: undefined });
  // Whatever goes wrong in the bookkeeping is not the host's: the command runs on, and its end is drift's.
  process.on('uncaughtException', () => undefined);
  restoreEnvironment(facts);
  if (facts.nodeParts.hash !== null) hashBy(createDirectHash);
  capture = open();
  runCommand(
    command,
    { facts, watchesStdout: capture?.wantsStdout ?? false, keepsStderr: capture !== null },
    finish,
  );
  // While the command runs, nobody waits for it.
  if (capture !== null) loadHash();
}

function open(): Capture | null {
  try {
    return openCapture(options, command);
  } catch {
    return null;
  }
}

function finish(outcome: CommandOutcome): void {
  // Should the bookkeeping end drift in a way of its own.
  process.exitCode = outcome.exitCode ?? 1;
  try {
    capture?.afterCommand(outcome);
  } finally {
    endProcess(outcome.exitCode, outcome.signal);
  }
}
