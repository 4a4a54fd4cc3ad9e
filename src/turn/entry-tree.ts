import type { ReaderOptions, RowFate } from './log-reader.ts';
import { advance, beforeAnything, type LogEntry, type TurnState } from './turn-state.ts';

/** Beyond this many entries the oldest are forgotten; whoever still continues them goes on from the entry before. */
const maxRemembered = 100_000;

/**
 * A log whose entries name their parent. What counts is the branch that ends at the newest entry: each entry carries on
 * from the state at its parent, so that an abandoned branch leaves no trace however the file is ordered.
 */
export function createEntryTree({ turnId, marker }: ReaderOptions) {
  const states = new Map<string, TurnState>();
  let newest = beforeAnything;
  let wanted: TurnState | null = null;
  let count = 0;

  const add = (id: string | null, parent: string | null | undefined, entry: LogEntry): RowFate => {
    if (id !== null && states.has(id)) return 'duplicate';
    const before = stateAt(parent);
    newest = advance(before, entry, count, marker);
    count += 1;
    if (newest.turnId === turnId) wanted = newest;
    if (id !== null) remember(id, newest);
    return 'entry';
  };
  /** Null is the root; a parent that is not known, or none at all, is whatever came before. */
  const stateAt = (parent: string | null | undefined): TurnState =>
    parent === null ? beforeAnything : ((parent === undefined ? undefined : states.get(parent)) ?? newest);
  const remember = (id: string, state: TurnState): void => {
    states.set(id, state);
    if (states.size <= maxRemembered) return;
    const [oldest] = states.keys();
    if (oldest !== undefined) states.delete(oldest);
  };
  const state = (): TurnState | null => (turnId === undefined ? newest : wanted);
  return { add, state };
}
