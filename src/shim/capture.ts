import type { CommandOutcome } from './command-outcome.ts';

/** The capture around one wrapped command. Neither step throws, writes to the host's streams or waits for long. */
export interface Capture {
  /** Called once, when the command has ended and its output has been handed on; before drift itself exits. */
  afterCommand(outcome: CommandOutcome): Promise<void>;
}

/**
 * Finds the observer and takes the before-snapshot; called just before the command starts.
 * Null: nothing to record (no state, `off`, a dry run), so the command only passes through.
 *
 * @param options the words between `refresh` and the first `--`
 * @param command the words after it
 */
export function openCapture(_options: readonly string[], _command: readonly string[]): Capture | null {
  return null;
}
