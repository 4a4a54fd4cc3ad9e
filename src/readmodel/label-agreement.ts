import type { EventSummary } from '../contract/judged-event.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { Journal } from '../spool/receipt-journal.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { findEvent } from './find-event.ts';
import { type Label, type Truth, truths } from './labels.ts';

/** How the owner's labels and one signal agree; only labels `drift` and `on_goal` count. */
export interface Agreement {
  true_positive: number;
  false_positive: number;
  false_negative: number;
  true_negative: number;
  undecided: number;
}

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
  const none = (): Agreement => ({
    true_positive: 0,
    false_positive: 0,
    false_negative: 0,
    true_negative: 0,
    undecided: 0,
  });
  const agreement = { noul: none(), choice: none() };
  const journal = new Journal(nodeIo, layout);
  const known = new Map(shown.map((event) => [event.event_id, event]));
  for (const [eventId, { truth }] of labels) {
    if (truth === 'unknown') continue;
    const summary = known.get(eventId) ?? summaryOf(layout, eventId, journal);
    if (!summary) continue;
    for (const signal of ['noul', 'choice'] as const)
      agreement[signal][cell(summary.drift_signal[signal], truth)] += 1;
  }
  return agreement;
}

function summaryOf(layout: LoadedObserver['layout'], eventId: string, journal: Journal): EventSummary | null {
  const found = findEvent(layout, eventId, journal);
  return found.ok ? found.value.summary : null;
}

function cell(signal: boolean | null, truth: Truth): keyof Agreement {
  if (signal === null) return 'undecided';
  if (truth === 'drift') return signal ? 'true_positive' : 'false_negative';
  return signal ? 'false_positive' : 'true_negative';
}
