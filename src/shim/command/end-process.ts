import { releaseDescriptor } from './descriptors.ts';

/** Longer than a signal to ourselves can take. */
const RAISE_MS = 200;

/**
 * Ends drift as the command ended. By a signal: the default action is put back and the signal raised, because a parent
 * that sees `exit 128+n` instead cannot tell the two apart. Core files are the command's alone: the launcher has set
 * drift's own limit to 0.
 */
export function endProcess(exitCode: number | null, signal: NodeJS.Signals | null): void {
  // Node would set the terminal back to what it found at its start.
  for (const descriptor of [0, 1, 2]) releaseDescriptor(descriptor);
  if (signal === null) process.exit(exitCode ?? 1);
  raise(signal);
  setTimeout(() => process.exit(128 + numberOf(signal)), RAISE_MS);
}

const numberOf = (signal: NodeJS.Signals): number =>
  process.getBuiltinModule('node:os').constants.signals[signal];

function raise(signal: NodeJS.Signals): void {
  try {
    // Adding and removing a listener makes libuv restore the default action, which Node changed for some signals.
    process.on(signal, () => undefined);
    process.removeAllListeners(signal);
  } catch {
    // KILL and STOP have no listeners and need none.
  }
  process.kill(process.pid, signal);
}
