import { spawn } from 'node:child_process';
import { forwardSignals } from '../shim/command/forward-signals.ts';
import { describeStartFailure, tellStartFailure } from '../shim/start/start-failure.ts';

/** How a probe ended. 126 or 127 when it could not be started, as a shell says it. */
export interface ProbeOutcome {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Runs a probe with the caller's own streams, hands signals on to it, and gives back how it ended. Called at most once
 * in a process, which is to end as the probe did: the signals are never let go of.
 *
 * @param stdout the descriptor that the probe writes its stdout to: 1, or 2 where stdout is for one JSON document
 */
export function runProbe([program = '', ...words]: readonly string[], stdout: 1 | 2): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const cannotStart = (error: unknown): void => {
      const failure = describeStartFailure(program, error);
      tellStartFailure(failure);
      resolve({ exit: failure.exitCode, signal: null });
    };
    const signals = forwardSignals(null);
    try {
      const child = spawn(program, words, { stdio: [0, stdout, 2] });
      child.on('error', (error) => {
        if (child.pid === undefined) cannotStart(error);
      });
      child.on('exit', (exit, signal) => resolve({ exit, signal }));
      signals.to(child);
    } catch (error) {
      // The kernel's limit on arguments is one of the errors that spawn throws.
      cannotStart(error);
    }
  });
}
