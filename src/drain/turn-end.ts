import type { DriftEvent } from '../contract/event.ts';
import type { Fact } from '../contract/judged-event.ts';
import { classifySessionLog } from '../turn/classify-session-log.ts';

/**
 * How the turn behind an event ended, by the session log that the refresh named, no further than it reached then. A
 * turn that was aborted, parked or cut by an error is judged like any other and marked. A log that cannot be read is a
 * fact too: nobody checked.
 */
export function turnEndFacts({ session_log: log }: Pick<DriftEvent, 'session_log'>): Fact[] {
  if (log === undefined) return [];
  const read = classifySessionLog(log.file, { sizeBytes: log.size });
  if (!read.ok) return [{ fact: 'turn_end_unobserved', detail: read.failure.reason }];
  return [{ fact: 'turn_end', detail: read.value.end }];
}
