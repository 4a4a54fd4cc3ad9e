import type { JournalEntry } from '../contract/judged-event.ts';
import type { Receipt } from '../contract/receipt.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import { foldEvent, summarize } from './aggregate.ts';
import type { Step } from './batch.ts';
import type { FoundEntry } from './find-entry.ts';
import { capturedResult, parseEntry } from './resume.ts';
import { turnEndFacts } from './turn-end.ts';

/** What needed no judging: its capture said what it is. Only how the turn ended is worth a line in the journal. */
export function capturedStep(entry: FoundEntry, stored: StoredEvent, receipt: Receipt | null): Step {
  const { event, digest } = stored;
  const result = receipt && { ...capturedResult(receipt), facts: turnEndFacts(event) };
  const isMarked = result !== null && result.facts.length > 0;
  return {
    entry,
    line: isMarked ? { sequence: event.sequence, digest, json: JSON.stringify(result) } : null,
    finish: (standing) => {
      const final = standing === null ? result : parseEntry(standing);
      return { receipt, summary: null, fold: (aggregate) => foldEvent(aggregate, stored, final) };
    },
  };
}

/** What was judged, now or before. */
export function judgedStep(
  entry: FoundEntry,
  stored: StoredEvent,
  { line, json }: { readonly line: Step['line']; readonly json: string },
): Step {
  return {
    entry,
    line,
    finish: (standing) => {
      const result: JournalEntry = parseEntry(standing ?? json);
      return {
        receipt: result.receipt,
        summary: summarize(stored, result),
        fold: (aggregate) => foldEvent(aggregate, stored, result),
      };
    },
  };
}
