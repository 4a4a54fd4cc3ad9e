import type { TurnEnd, TurnFlag } from '../contract/turn.ts';

/**
 * How a message of the agent ended, in one vocabulary for every host: `tool` waits for a tool, `open` was not finished.
 */
export type Stop = 'stop' | 'length' | 'tool' | 'open' | 'error' | 'aborted';

/** What a log says about its last turn so far. Positions count entries from 0; -1 where there is none. */
export interface TurnState {
  readonly lastAssistant: number;
  readonly stop: Stop;
  /** The host's own word for it. */
  readonly stopReason: string | null;
  readonly errorMessage: string | null;
  readonly lastBoundary: number;
  /** The newest message that asks the agent for something. */
  readonly lastPrompt: number;
  /** Identifies the turn: the host's own id, else that of its prompt. */
  readonly turnId: string | null;
  /** Somebody interrupted after the last message of the agent. */
  readonly isInterrupted: boolean;
  /** The host wrote down that a turn began, and not yet that it ended. */
  readonly isOpen: boolean;
  /** Where the host wrote down that the turn is over. */
  readonly lastTerminal: number;
  readonly hasNullLastMessage: boolean;
  /** A reminder of the watchdog came after the last message of the agent. */
  readonly isReminded: boolean;
}

export const beforeAnything: TurnState = {
  lastAssistant: -1,
  stop: 'open',
  stopReason: null,
  errorMessage: null,
  lastBoundary: -1,
  lastPrompt: -1,
  turnId: null,
  isInterrupted: false,
  isOpen: false,
  lastTerminal: -1,
  hasNullLastMessage: false,
  isReminded: false,
};

/** One entry of a log, in one vocabulary for every host. */
export type LogEntry =
  | {
      readonly kind: 'assistant';
      readonly stop: Stop;
      readonly stopReason: string | null;
      readonly errorMessage?: string;
    }
  /** `text` is looked at for the watchdog's marker only. */
  | { readonly kind: 'prompt'; readonly id: string | null; readonly text: string }
  | { readonly kind: 'compaction' }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'terminal'; readonly error: string | null }
  | { readonly kind: 'other' };

/** The state after one more entry. */
export function advance(
  state: TurnState,
  entry: LogEntry,
  at: number,
  marker: string | undefined,
): TurnState {
  switch (entry.kind) {
    case 'assistant':
      return {
        ...state,
        lastAssistant: at,
        stop: entry.stop,
        stopReason: entry.stopReason,
        errorMessage: entry.errorMessage ?? null,
        isInterrupted: false,
        isReminded: false,
      };
    case 'prompt':
      return {
        ...state,
        lastPrompt: at,
        turnId: entry.id ?? state.turnId,
        isReminded: state.isReminded || (marker !== undefined && entry.text.includes(marker)),
      };
    case 'compaction':
      return { ...state, lastBoundary: at };
    case 'interrupt':
      return { ...state, isInterrupted: true };
    case 'terminal':
      return {
        ...state,
        lastTerminal: at,
        ...(entry.error === null ? {} : { stop: 'error', errorMessage: entry.error }),
      };
    default:
      return state;
  }
}

/**
 * The end that a state stands for, the first that fits: aborted; parked at a compaction that came after the last
 * message, with nothing that ended the turn after it; an error; unfinished, when the turn began and nothing ended it;
 * stop.
 */
export function endOfState(state: TurnState): TurnEnd {
  const { stop, lastBoundary, lastAssistant, lastTerminal } = state;
  if (stop === 'aborted' || state.isInterrupted) return 'aborted';
  if (lastBoundary > lastAssistant && lastBoundary > lastTerminal) return 'compaction';
  if (stop === 'error') return 'error';
  return isUnfinished(state) ? 'unfinished' : 'stop';
}

function isUnfinished({ isOpen, stop, lastAssistant, lastPrompt, lastTerminal }: TurnState): boolean {
  if (isOpen) return true;
  if (lastTerminal > lastAssistant && lastTerminal > lastPrompt) return false;
  return lastAssistant < 0 || lastPrompt > lastAssistant || stop === 'tool' || stop === 'open';
}

export function flagsOfState(state: TurnState): TurnFlag[] {
  const { lastAssistant, stop, hasNullLastMessage } = state;
  const flags: TurnFlag[] = [];
  if (lastAssistant < 0) flags.push('no_assistant');
  if (lastAssistant >= 0 && stop === 'tool') flags.push('awaiting_tool');
  if (lastAssistant >= 0 && stop === 'length') flags.push('max_tokens');
  if (hasNullLastMessage) flags.push('null_last_message');
  return flags;
}
