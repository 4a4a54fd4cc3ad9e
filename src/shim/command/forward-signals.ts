import { readProcessStat } from './process-stat.ts';

/**
 * What a caller may send and Node can hear. Not: KILL and STOP, which nobody hears; SEGV, BUS, FPE, ILL and TRAP, which
 * a fault of Node's own raises too; PIPE, which drift's own writes raise; real-time signals, which Node cannot name.
 */
const forwarded: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGABRT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGTERM',
  'SIGSTKFLT',
  'SIGCONT',
  'SIGURG',
  'SIGXCPU',
  'SIGXFSZ',
  'SIGVTALRM',
  'SIGPROF',
  'SIGWINCH',
  'SIGIO',
  'SIGPWR',
  'SIGSYS',
];
const stopping: readonly NodeJS.Signals[] = ['SIGTSTP', 'SIGTTIN', 'SIGTTOU'];

/** What the kernel sends from the terminal to every process of the foreground group: the command has it already. */
const typed: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT', 'SIGWINCH', 'SIGTSTP']);

/** Time for a signal to reach both processes, and for the command to act on it. */
const SETTLE_MS = 20;

/** A process that has been started. */
interface Receiver {
  readonly pid?: number | undefined;
  kill(signal: NodeJS.Signals): unknown;
}

/**
 * Hands signals on to the command, and stops when the command has stopped, so that a shell's job control works. Listens
 * at once, so that nothing is lost between the command's start and `to`.
 *
 * @param hasTerminal null when unknown: then one of the first three descriptors being a terminal decides
 */
export function forwardSignals(hasTerminal: boolean | null): { to(command: Receiver): void } {
  let command: Receiver | null = null;
  let lastStop: NodeJS.Signals | null = null;

  const forward = (signal: NodeJS.Signals): void => {
    if (!reachedCommand(signal, command?.pid, hasTerminal)) command?.kill(signal);
  };
  const forwardStop = (signal: NodeJS.Signals): void => {
    lastStop = signal;
    forward(signal);
    setTimeout(stopWithCommand, SETTLE_MS);
  };
  const stopWithCommand = (): void => {
    if (command?.pid === undefined || readProcessStat(command.pid)?.state !== 'T') return;
    const signal = lastStop ?? 'SIGTSTP';
    lastStop = null;
    // By the signal itself, because the shell names it; the next line runs when somebody continues us.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    process.on(signal, forwardStop);
  };

  for (const signal of forwarded) listen(signal, forward);
  for (const signal of stopping) listen(signal, forwardStop);
  // A command that stops itself tells nobody but its parent.
  if (hasTerminal !== false) process.on('SIGCHLD', () => setTimeout(stopWithCommand, SETTLE_MS).unref());
  return {
    to(started) {
      command = started;
    },
  };
}

function listen(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): void {
  try {
    process.on(signal, listener);
  } catch {
    // Not every system has every signal.
  }
}

/**
 * Whether the command got the signal too. Node does not say who sent one, so the terminal's rules decide: the kernel
 * sends it to the whole group, and a shell continues the whole group.
 */
function reachedCommand(
  signal: NodeJS.Signals,
  pid: number | undefined,
  hasTerminal: boolean | null,
): boolean {
  if (hasTerminal === false) return false;
  const own = readProcessStat('self');
  if (own === null) return hasTerminal === true && typed.has(signal);
  if (own.terminal === 0) return false;
  if (signal === 'SIGTTIN' || signal === 'SIGTTOU') return true;
  if (signal === 'SIGCONT') return pid !== undefined && readProcessStat(pid)?.state !== 'T';
  return typed.has(signal) && own.processGroup === own.foregroundGroup;
}
