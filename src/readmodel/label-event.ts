import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { errorCode } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import { findEvent } from './find-event.ts';
import { appendLabel, type Label, type ObligationLabel, type Truth } from './labels.ts';

const MAX_NOTE_CHARACTERS = 200;

/** The owner's word on one event. */
export interface WantedLabel {
  /** Event id or an unambiguous prefix of 8 characters or more. */
  readonly prefix: string;
  /** Null takes the label back. */
  readonly truth: Truth | null;
  readonly note?: string | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Records a label, durably; the one way in for the terminal and for the page. Reasons: usage (a note that is too
 * long), those of finding the event, and write_failed.
 */
export function labelEvent(
  loaded: LoadedObserver,
  { prefix, truth, note, now }: WantedLabel,
): Result<Label, Failure> {
  const noted = checkNote(note);
  if (!noted.ok) return noted;
  const found = findEvent(loaded.layout, prefix);
  if (!found.ok) return found;
  return writeLabel(loaded.layout, {
    at: new Date(now).toISOString(),
    event_id: found.value.summary.event_id,
    truth,
    ...(note === undefined ? {} : { note }),
  });
}

/** Reasons: usage. */
export function checkNote(note: string | undefined): Result<null, Failure> {
  if (note === undefined || [...note].length <= MAX_NOTE_CHARACTERS) return ok(null);
  const detail = `a note has at most ${MAX_NOTE_CHARACTERS} characters`;
  return fail({ reason: 'usage', field: 'note', detail });
}

/** Reasons: write_failed. */
export function writeLabel<L extends Label | ObligationLabel>(
  layout: StateLayout,
  label: L,
): Result<L, Failure> {
  try {
    appendLabel(layout, label);
    return ok(label);
  } catch (error) {
    const code = errorCode(error);
    if (!code) throw error;
    return fail({ reason: 'write_failed', file: layout.labels, detail: code });
  }
}
