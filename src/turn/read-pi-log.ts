import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { errorMessageOf } from './classify-turn-end.ts';
import { createEntryTree } from './entry-tree.ts';
import type { LogReader, ReaderOptions } from './log-reader.ts';
import { textOf } from './message-text.ts';
import type { LogEntry, Stop } from './turn-state.ts';

const known = new Set([
  'message',
  'compaction',
  'branch_summary',
  'model_change',
  'thinking_level_change',
  'session_info',
  'label',
  'custom',
  'custom_message',
]);

/** pi, session format 3: a header, then a tree of entries by `id` and `parentId`. */
export function createPiReader(options: ReaderOptions): LogReader {
  const tree = createEntryTree(options);
  return {
    state: tree.state,
    read(row) {
      const { type, id, parentId } = row;
      if (type === 'session') return 'header';
      if (typeof type !== 'string' || !known.has(type)) return 'unknown_type';
      const parent = typeof parentId === 'string' || parentId === null ? parentId : undefined;
      return tree.add(typeof id === 'string' ? id : null, parent, entryOf(row));
    },
  };
}

function entryOf({ type, id, message }: JsonObject): LogEntry {
  if (type === 'compaction') return { kind: 'compaction' };
  if (type !== 'message') return { kind: 'other' };
  const { role, stopReason, content } = asJsonObject(message);
  if (role === 'user')
    return { kind: 'prompt', id: typeof id === 'string' ? id : null, text: textOf(content) };
  if (role !== 'assistant') return { kind: 'other' };
  return {
    kind: 'assistant',
    stop: stopOf(stopReason),
    stopReason: typeof stopReason === 'string' ? stopReason : null,
    ...(stopReason === 'error' ? { errorMessage: errorMessageOf(message) } : {}),
  };
}

function stopOf(reason: unknown): Stop {
  if (reason === 'toolUse') return 'tool';
  return reason === 'length' || reason === 'error' || reason === 'aborted' ? reason : 'stop';
}
