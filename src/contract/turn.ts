/** How a turn ended. `unfinished`: it began, and nothing in the log ends it. */
export const turnEnds = ['stop', 'aborted', 'error', 'compaction', 'unfinished'] as const;
export type TurnEnd = (typeof turnEnds)[number];

/** The four ends of the view that knows no `unfinished` and calls it `stop`. */
export type CompatibleEnd = Exclude<TurnEnd, 'unfinished'>;

export const logFormats = ['pi', 'claude', 'codex'] as const;
export type LogFormat = (typeof logFormats)[number];

/**
 * What makes a stop less than a finished turn.
 *
 * - `no_assistant`: the log holds no message of the agent.
 * - `awaiting_tool`: the last message asks for a tool, and the agent never went on.
 * - `max_tokens`: the last message was cut at its length limit.
 * - `truncated_tail`: the last line is cut off, or the file ends in NUL bytes.
 * - `null_last_message`: the host closed the turn without a last message.
 */
export const turnFlags = [
  'no_assistant',
  'awaiting_tool',
  'max_tokens',
  'truncated_tail',
  'null_last_message',
] as const;
export type TurnFlag = (typeof turnFlags)[number];

/** Where in the log the end was read. Positions count entries from 0; -1 where there is none. */
export interface TurnEvidence {
  readonly last_assistant: number;
  readonly last_boundary: number;
  /** The host's own word; null where it has none. */
  readonly stop_reason: string | null;
  readonly turn_id: string | null;
}

/** How a turn ended, by its session log: the document of `drift turn classify --json`, but for the schema. */
export interface TurnReading {
  /** Null for an empty log. */
  readonly format: LogFormat | null;
  readonly end: TurnEnd;
  /** There whenever the last message ended in an error, though something else may decide the end. */
  readonly error_message: string | null;
  readonly evidence: TurnEvidence;
  readonly flags: readonly TurnFlag[];
  readonly entries: number;
  readonly skipped: {
    readonly sidechain: number;
    readonly unknown_type: number;
    /** No JSON object, or a line of more than 64 MiB. */
    readonly malformed: number;
    readonly duplicate: number;
  };
}

/** What supervision did, in order. */
export type SupervisionStep =
  | { readonly kind: 'resume'; readonly n: number }
  | { readonly kind: 'watchdog_wait'; readonly recovered: boolean }
  | { readonly kind: 'ask'; readonly answered: boolean }
  /** Something was sent and the log did not change: nobody listens, so asking on would go on for ever. */
  | { readonly kind: 'unheard' };

/** The document of `drift turn supervise --json`, but for the schema. */
export interface Supervision {
  /** Paused: the turn was aborted and nobody said how to go on. */
  readonly interrupted: boolean;
  readonly error: string | null;
  readonly resumes: number;
  /** The most resumes were made and the turn is still parked at a compaction. */
  readonly capped: boolean;
  readonly end: TurnEnd;
  readonly steps: readonly SupervisionStep[];
}
