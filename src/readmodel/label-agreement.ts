import type { EventSummary } from '../contract/judged-event.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { Journal } from '../spool/receipt-journal.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { type Agreement, noAgreement, withLabel } from './agreement.ts';
import { findEvent } from './find-event.ts';
import { type Label, type Truth, truths } from './labels.ts';

type Labels = ReadonlyMap<string, Label & { readonly truth: Truth }>;

export function countLabels(labels: Labels): Record<Truth, number> {
  const count = (truth: Truth): number =>
    [...labels.values()].filter((label) => label.truth === truth).length;
  return Object.fromEntries(truths.map((truth) => [truth, count(truth)])) as Record<Truth, number>;
}

/** Compares every label with the signals of its event. `shown` spares looking those events up again. */
export function compareLabels(
  { layout }: LoadedObserver,
  labels: Labels,
  shown: readonly EventSummary[],
): { readonly noul: Agreement; readonly choice: Agreement } {
  let noul = noAgreement;
  let choice = noAgreement;
  const journal = new Journal(nodeIo, layout);
  const known = new Map(shown.map((event) => [event.event_id, event]));
  for (const [eventId, { truth }] of labels) {
    if (truth === 'unknown') continue;
    const summary = known.get(eventId) ?? summaryOf(layout, eventId, journal);
    if (!summary) continue;
    noul = withLabel(noul, truth, summary.drift_signal.noul);
    choice = withLabel(choice, truth, summary.drift_signal.choice);
  }
  return { noul, choice };
}

function summaryOf(layout: LoadedObserver['layout'], eventId: string, journal: Journal): EventSummary | null {
  const found = findEvent(layout, eventId, journal);
  return found.ok ? found.value.summary : null;
}
