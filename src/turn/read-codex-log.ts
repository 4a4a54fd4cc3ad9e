import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { unnamedError } from './classify-turn-end.ts';
import type { LogReader, ReaderOptions, RowFate } from './log-reader.ts';
import { textOf } from './message-text.ts';
import { advance, beforeAnything, type LogEntry, type TurnState } from './turn-state.ts';

const known = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'world_state',
]);
const agentItems = /^(?:reasoning|.*_call)$/;

/**
 * Codex: an envelope around response items and events. A turn is opened by `task_started` and closed by an event with
 * its own id: an older `task_complete` never closes a newer turn, and a turn that nothing closed was killed.
 */
export function createCodexReader({ turnId: wanted, marker }: ReaderOptions): LogReader {
  const turns = createTurns(wanted);
  let count = 0;
  let lastOrdinal: unknown;

  const read = (row: JsonObject): RowFate => {
    const { type, ordinal } = row;
    if (typeof type !== 'string' || !known.has(type)) return 'unknown_type';
    if (ordinal !== undefined && ordinal === lastOrdinal) return 'duplicate';
    lastOrdinal = ordinal;
    const payload = asJsonObject(row['payload']);
    const at = count;
    count += 1;
    const event = type === 'event_msg' ? String(payload['type']) : '';
    if (/^(?:task|turn)_started$/.test(event)) turns.start(idOf(payload), at);
    else if (/^(?:task|turn)_complete$/.test(event))
      turns.close(idOf(payload), (state) => completed(state, payload, at));
    else if (event === 'turn_aborted') turns.close(idOf(payload), (state) => aborted(state, at));
    else turns.change((state) => advance(state, entryOf(type, payload), at, marker));
    return 'entry';
  };
  return { read, state: turns.state };
}

/** The turn that runs, and the wanted one once a later turn has begun. */
function createTurns(wanted: string | undefined) {
  let current = beforeAnything;
  let kept: TurnState | null = null;
  const closed = new Set<string>();
  return {
    start(id: string | null, at: number): void {
      if (id !== null && (closed.has(id) || id === current.turnId)) return;
      if (wanted !== undefined && current.turnId === wanted) kept = current;
      // What came before belongs to another turn.
      const { lastAssistant } = current;
      current = { ...beforeAnything, lastAssistant, turnId: id, lastPrompt: at, isOpen: true };
    },
    close(id: string | null, end: (state: TurnState) => TurnState): void {
      if (id !== null) closed.add(id);
      if (id === null || current.turnId === null || id === current.turnId) current = end(current);
      else if (kept !== null && id === wanted) kept = end(kept);
    },
    change(step: (state: TurnState) => TurnState): void {
      current = step(current);
    },
    state(): TurnState | null {
      if (wanted === undefined || current.turnId === wanted) return current;
      return kept;
    },
  };
}

const idOf = ({ turn_id: id }: JsonObject): string | null => (typeof id === 'string' ? id : null);

function completed(state: TurnState, payload: JsonObject, at: number): TurnState {
  const failed = state.stop === 'error';
  return {
    ...state,
    isOpen: false,
    lastTerminal: at,
    stop: failed || state.stop === 'tool' ? state.stop : 'stop',
    stopReason: failed ? 'error' : 'stop',
    hasNullLastMessage: (payload['last_agent_message'] ?? null) === null,
  };
}

const aborted = (state: TurnState, at: number): TurnState => ({
  ...state,
  isOpen: false,
  lastTerminal: at,
  stop: 'aborted',
  stopReason: 'aborted',
});

function entryOf(type: string, payload: JsonObject): LogEntry {
  const { type: kind, role, message, content } = payload;
  if (type === 'compacted' || kind === 'context_compacted') return { kind: 'compaction' };
  if (kind === 'error') {
    const errorMessage = typeof message === 'string' ? message : unnamedError;
    return { kind: 'terminal', error: errorMessage };
  }
  if (kind === 'agent_message' || (kind === 'message' && role === 'assistant'))
    return { kind: 'assistant', stop: 'stop', stopReason: null };
  if (kind === 'message' && role === 'user') return { kind: 'prompt', id: null, text: textOf(content) };
  if (type === 'response_item' && typeof kind === 'string' && agentItems.test(kind))
    return { kind: 'assistant', stop: kind === 'reasoning' ? 'open' : 'tool', stopReason: null };
  return { kind: 'other' };
}
