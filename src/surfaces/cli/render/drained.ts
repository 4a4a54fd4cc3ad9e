import type { EventSummary } from '../../../contract/judged-event.ts';
import type { DrainOutcome } from '../../../drain/run-drain.ts';
import { eventWord, shortId } from './words.ts';

/** One judged event in the answer of `drain --json`. */
export const processedDocument = ({
  event_id,
  status,
  reason,
  evaluator,
  drift_signal,
}: EventSummary): object => ({ event_id, status, reason, evaluator, drift_signal });

/** One judged event as `drain` prints it. */
export const eventLine = (event: EventSummary): string =>
  `#${event.sequence} ${shortId(event.event_id)}  ${eventWord(event)}`;

/** What became of a claim that was recorded while an obligation was open. */
export function claimLine({ agent_id, obligation_id, discharge }: DrainOutcome['claims'][number]): string {
  const how = discharge.accepted
    ? `closes ${obligation_id}: ${discharge.satisfying_outcomes.join(', ')}`
    : `does not close ${obligation_id}: ${discharge.reason_code ?? 'it changes nothing'}`;
  return `claim of ${agent_id} ${how.replaceAll('_', ' ')}`;
}
