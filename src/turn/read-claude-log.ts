import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { unnamedError } from './classify-turn-end.ts';
import { createEntryTree } from './entry-tree.ts';
import type { LogReader, ReaderOptions } from './log-reader.ts';
import { hasBlock, textOf } from './message-text.ts';
import type { LogEntry, Stop } from './turn-state.ts';

const known = new Set([
  'user',
  'assistant',
  'system',
  'summary',
  'attachment',
  'progress',
  'result',
  'stream_event',
  'file-history-snapshot',
  'queue-operation',
  'custom-title',
  'ai-title',
  'last-prompt',
  'tag',
  'agent-name',
  'pr-link',
]);

/** The host writes what its user did into rows of the user; they ask the agent for nothing. */
const hostRows = /^<(?:command-|local-command-|bash-)/;
const interruptRows = /^\[Request interrupted by user/;

/** Claude Code: rows linked by `uuid` and `parentUuid`; one message of the agent may be several rows. */
export function createClaudeReader(options: ReaderOptions): LogReader {
  const tree = createEntryTree(options);
  let previous: { readonly id: unknown; readonly entry: AssistantEntry } | null = null;
  const merged = (row: JsonObject, entry: LogEntry): LogEntry => {
    if (entry.kind !== 'assistant') return entry;
    const { id } = asJsonObject(row['message']);
    const isContinued = previous !== null && id !== undefined && previous.id === id;
    // Only one of the rows of a message carries its stop reason, and not always the last.
    const whole =
      isContinued && previous && entry.stopReason === null ? strongest(previous.entry, entry) : entry;
    previous = { id, entry: whole };
    return whole;
  };
  return {
    state: tree.state,
    read(row) {
      const { type, uuid, isSidechain } = row;
      if (isSidechain === true) return 'sidechain';
      if (typeof type !== 'string' || !known.has(type)) return 'unknown_type';
      return tree.add(typeof uuid === 'string' ? uuid : null, parentOf(row), merged(row, entryOf(row)));
    },
  };
}

type AssistantEntry = Extract<LogEntry, { kind: 'assistant' }>;

const strongest = (earlier: AssistantEntry, later: AssistantEntry): AssistantEntry =>
  earlier.stopReason !== null || earlier.stop === 'tool' ? earlier : later;

/** A compaction starts a new tree; what it follows stands beside. */
function parentOf({ parentUuid, logicalParentUuid }: JsonObject): string | null | undefined {
  if (typeof parentUuid === 'string') return parentUuid;
  if (typeof logicalParentUuid === 'string') return logicalParentUuid;
  return undefined;
}

function entryOf(row: JsonObject): LogEntry {
  if (row['type'] === 'system')
    return { kind: row['subtype'] === 'compact_boundary' ? 'compaction' : 'other' };
  if (row['type'] === 'assistant') return assistantEntry(row);
  if (row['type'] === 'user') return userEntry(row);
  if (row['type'] === 'result') return { kind: 'terminal', error: resultError(row) };
  return { kind: 'other' };
}

function assistantEntry(row: JsonObject): AssistantEntry {
  const { stop_reason: reason, content } = asJsonObject(row['message']);
  const stopReason = typeof reason === 'string' ? reason : null;
  // Looks like an ordinary stop, and is the host's word for a failed request.
  if (row['isApiErrorMessage'] === true) {
    const errorMessage = textOf(content) || (typeof row['error'] === 'string' ? row['error'] : unnamedError);
    return { kind: 'assistant', stop: 'error', stopReason, errorMessage };
  }
  return { kind: 'assistant', stop: stopOf(reason, content), stopReason };
}

function stopOf(reason: unknown, content: unknown): Stop {
  if (reason === 'tool_use') return 'tool';
  if (reason === 'max_tokens') return 'length';
  if (reason === 'pause_turn') return 'open';
  if (typeof reason === 'string') return 'stop';
  // Older versions leave the reason out of every row, so the content has to tell.
  if (hasBlock(content, 'tool_use')) return 'tool';
  return textOf(content) === '' ? 'open' : 'stop';
}

function userEntry(row: JsonObject): LogEntry {
  const { content } = asJsonObject(row['message']);
  const text = textOf(content);
  if (interruptRows.test(text)) return { kind: 'interrupt' };
  const isHosts = row['isMeta'] === true || row['isCompactSummary'] === true || hostRows.test(text);
  if (isHosts || hasBlock(content, 'tool_result')) return { kind: 'other' };
  return { kind: 'prompt', id: typeof row['uuid'] === 'string' ? row['uuid'] : null, text };
}

/** A headless run closes with a result; a limit that it ran into is an error by its subtype. */
function resultError({ subtype, is_error: isError, result }: JsonObject): string | null {
  const failed = isError === true || (typeof subtype === 'string' && subtype.startsWith('error'));
  if (!failed) return null;
  if (typeof result === 'string' && result !== '') return result;
  return typeof subtype === 'string' ? subtype : unnamedError;
}
