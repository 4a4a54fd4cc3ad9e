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
