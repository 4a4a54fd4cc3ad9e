/**
 * Every exit status that drift itself produces (design §5). `refresh` is apart: its status is the wrapped
 * command's own, and only a missing command makes it `usage`.
 */
export const exitCode = {
  done: 0,
  /** A finding that the command promises to report. */
  finding: 1,
  /** Usage, configuration or other bad input. */
  usage: 2,
  /** `check`: denied. `gate`: unobserved. */
  denied: 3,
  unobserved: 3,
  /** `check`: the state is accepted, finish now. */
  mustFinish: 4,
  /** `check`: the ledger cannot be used, so nothing was started. */
  storeUnavailable: 5,
  /** `check`, to the launcher alone: granted, and the launcher wraps the probe. */
  granted: 100,
  /** `turn`: how the turn ended when it did not simply stop. */
  turnAborted: 10,
  turnCompaction: 11,
  turnError: 12,
  turnUnfinished: 13,
  /** A bug in drift. */
  bug: 70,
} as const;
