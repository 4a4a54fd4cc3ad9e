/** How the wrapped command ended, and what was seen of it. */
export interface CommandOutcome {
  /** Null when a signal ended the command. 126 or 127 when it could not be started. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /**
   * The end of what the command wrote to stdout, at most 64 KiB. Null when drift did not see it (a terminal,
   * a closed descriptor, a file that cannot be read back).
   */
  readonly stdoutTail: Uint8Array | null;
  /** True when the command wrote more than the tail holds. */
  readonly stdoutCut: boolean;
}
