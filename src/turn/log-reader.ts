import type { JsonObject } from '../json/json-object.ts';
import type { TurnState } from './turn-state.ts';

/** What became of one row: it counted as an entry, or it was skipped and why. */
export type RowFate = 'entry' | 'header' | 'sidechain' | 'unknown_type' | 'duplicate';

/** Reads one host's log row by row and knows at any time how its last turn stands. */
export interface LogReader {
  readonly read: (row: JsonObject) => RowFate;
  /** The last turn; the named one where `turnId` was given, null when it never came. */
  readonly state: () => TurnState | null;
}

export interface ReaderOptions {
  /** Only this turn counts. */
  readonly turnId?: string | undefined;
  /** Text by which a reminder of the watchdog is known. */
  readonly marker?: string | undefined;
}
