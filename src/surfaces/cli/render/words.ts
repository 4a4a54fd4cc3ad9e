import type { EventSummary } from '../../../contract/judged-event.ts';

const ID_DIGITS = 12;

/** An id as people read and type it; `show` and `label` take any unambiguous prefix of 8 or more. */
export const shortId = (eventId: string): string => eventId.slice(0, ID_DIGITS);

/** What one event came to, in two or three words. Never "fine" for what was not evaluated, never "on goal". */
export function eventWord(event: EventSummary): string {
  const end = event.facts.find(({ fact }) => fact === 'turn_end')?.detail;
  return `${verdictWord(event)}${end === undefined || end === 'stop' ? '' : `, turn ${end}`}`;
}

function verdictWord({ status, reason, drift_signal: { noul, choice } }: EventSummary): string {
  if (status === 'queued') return 'waiting for drain';
  if (status === 'abstained')
    return `undecided (${reason === 'structural_unproven' ? 'not proven' : reason})`;
  if (status === 'not_evaluated' && reason === 'no_delta') return 'no change';
  if (status !== 'completed')
    return `${status.replaceAll('_', ' ')}${reason && reason !== status ? ` (${reason})` : ''}`;
  if (noul === true || choice === true) return 'DRIFT';
  return noul === false || choice === false ? 'no drift signal' : 'undecided';
}

/** A length of time as people say it. */
export function duration(seconds: number | null): string {
  if (seconds === null) return 'an unknown time';
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
