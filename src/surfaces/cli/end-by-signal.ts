import { constants } from 'node:os';

const patienceMs = 200;
/** Node throws for a listener of these. */
const uncatchable: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGSTOP'];

/**
 * Ends this process by a signal, after what was written to stdout has gone out, so that the caller sees what it would
 * have seen of the wrapped command itself. Where the signal does not kill, the shell's 128 + n stands for it.
 */
export async function endBySignal(signal: NodeJS.Signals): Promise<void> {
  process.exitCode = 128 + constants.signals[signal];
  await new Promise((written) => process.stdout.write('', written));
  if (!uncatchable.includes(signal)) {
    // A listener, a library's included, would swallow it. Node ignores SIGPIPE until a listener comes and goes.
    process.on(signal, () => undefined);
    process.removeAllListeners(signal);
  }
  process.kill(process.pid, signal);
  await new Promise((later) => setTimeout(later, patienceMs));
}
