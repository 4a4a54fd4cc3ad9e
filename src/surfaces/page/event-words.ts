import { reasonWords } from '../../readmodel/reason-words.ts';
import type { LabelledEvent } from '../../readmodel/status.ts';
import type { Words } from './words/en.ts';

/** How a transition is called: its turn, else its event. */
export const turnOf = ({ run, event_id }: LabelledEvent): string =>
  run?.turn_instance_id ?? event_id.slice(0, 12);

/** An instant as its reader writes it, to the minute; what is no instant stays as it is. */
export function timeOf(instant: string, { language }: Words): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return instant;
  return at.toLocaleString(language, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
}

/** What one transition came to under a signal; never "fine" for what was not evaluated. */
export function verdictOf(event: LabelledEvent, signal: 'noul' | 'choice', words: Words): string {
  if (event.status === 'completed')
    return words.signals[String(event.drift_signal[signal]) as 'true' | 'false' | 'null'];
  const status = words.statuses[event.status] ?? event.status.replaceAll('_', ' ');
  return event.reason && event.reason !== event.status
    ? `${status} (${reasonOf(event.reason, words)})`
    : status;
}

export const reasonOf = (reason: string, words: Words): string =>
  words.reasons[reason] ?? reasonWords(reason);

/** The sign that goes with it, in words and in the chart. */
export function signOf(event: LabelledEvent, signal: 'noul' | 'choice'): string {
  if (event.status !== 'completed') return event.status === 'abstained' ? '◇' : '–';
  const drift = event.drift_signal[signal];
  return drift === null ? '◇' : drift ? '▲' : '○';
}

export function filesOf({ files }: LabelledEvent): string {
  const [first] = files;
  if (!first) return '–';
  return files.length === 1 ? first.path : `${first.path} +${files.length - 1}`;
}
