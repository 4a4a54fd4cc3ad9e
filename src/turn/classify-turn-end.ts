import type { CompatibleEnd } from '../contract/turn.ts';

/** Stands in for the message of an error that carries none. */
export const unnamedError = 'unknown error';

/**
 * How the last turn of a list of session entries ended, as four ends: `{entries}` → `{end, error_message?}`, the
 * entries in append order. Position decides, never a timestamp. The first that fits: `aborted` by the stop reason of
 * the last assistant message; `compaction` when one comes after that message; `error` by its stop reason; `stop` for
 * all else, a log without an assistant message included. `error_message` is there whenever that stop reason is
 * `error`, though a compaction decides the end. Entries that are no list are `{ok: false}`.
 */
export function classifyTurnEnd(
  input: unknown,
):
  | { readonly end: CompatibleEnd; readonly error_message?: string }
  | { readonly ok: false; readonly reason: 'invalid_entries' } {
  const entries = read(input, 'entries');
  if (!Array.isArray(entries)) return { ok: false, reason: 'invalid_entries' };
  const lastAssistant = entries.findLastIndex(isAssistant);
  const lastCompaction = entries.findLastIndex((entry) => read(entry, 'type') === 'compaction');
  const message = read(entries[lastAssistant], 'message');
  const stopReason = read(message, 'stopReason');
  const end = endOf(stopReason, lastCompaction > lastAssistant);
  return stopReason === 'error' ? { end, error_message: errorMessageOf(message) } : { end };
}

/** The precedence of the four ends. */
export function endOf(stopReason: unknown, compactedAfterwards: boolean): CompatibleEnd {
  if (stopReason === 'aborted') return 'aborted';
  if (compactedAfterwards) return 'compaction';
  return stopReason === 'error' ? 'error' : 'stop';
}

const isAssistant = (entry: unknown): boolean =>
  read(entry, 'type') === 'message' && read(read(entry, 'message'), 'role') === 'assistant';

/** An empty message is kept; it is what the provider said. */
export function errorMessageOf(message: unknown): string {
  const text = read(message, 'errorMessage');
  return typeof text === 'string' ? text : unnamedError;
}

/** The own member of an object, or undefined of whatever else. */
export function read(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
