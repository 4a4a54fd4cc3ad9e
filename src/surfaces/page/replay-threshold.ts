import { signalRules } from '../../contract/receipt.ts';
import type { Agreement } from '../../readmodel/label-agreement.ts';
import type { LabelledEvent } from '../../readmodel/status.ts';
import { deriveSignals } from '../../sentinel/derive-signals.ts';

interface Terms {
  readonly threshold: number;
  readonly rule: keyof typeof signalRules;
}

/**
 * The stored judgments read at another threshold, by the rule that wrote them. Only the probabilities move with it: the
 * labels of `choice` were settled when they were judged.
 */
export function replayAt(events: readonly LabelledEvent[], { threshold, rule }: Terms): LabelledEvent[] {
  return events.map((event) =>
    event.status === 'completed'
      ? {
          ...event,
          drift_signal: deriveSignals({
            judgments: event.judgments,
            threshold,
            status: event.status,
            rule: signalRules[rule],
          }),
        }
      : event,
  );
}

const none: Agreement = {
  true_positive: 0,
  false_positive: 0,
  false_negative: 0,
  true_negative: 0,
  undecided: 0,
};

/** The labels against the signals of the events shown; `unknown` and unlabelled ones do not count. */
export function agreementOf(
  events: readonly LabelledEvent[],
): Readonly<Record<'noul' | 'choice', Agreement>> {
  const agreement = { noul: { ...none }, choice: { ...none } };
  for (const { label, drift_signal } of events)
    for (const signal of ['noul', 'choice'] as const)
      if (label === 'drift' || label === 'on_goal')
        agreement[signal][cellOf(drift_signal[signal], label)] += 1;
  return agreement;
}

function cellOf(signal: boolean | null, label: 'drift' | 'on_goal'): keyof Agreement {
  if (signal === null) return 'undecided';
  if (label === 'drift') return signal ? 'true_positive' : 'false_negative';
  return signal ? 'false_positive' : 'true_negative';
}
