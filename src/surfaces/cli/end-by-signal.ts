import { endProcess } from '../../shim/command/end-process.ts';

/**
 * Ends this process by the signal that ended a wrapped command, after what was written to stdout has gone out, so that
 * the caller sees what it would have seen of the command itself.
 */
export async function endBySignal(signal: NodeJS.Signals): Promise<void> {
  await new Promise((written) => process.stdout.write('', written));
  endProcess(null, signal);
}
