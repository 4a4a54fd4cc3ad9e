import { signalRules } from '../../contract/receipt.ts';
import { type Agreement, noAgreement, withLabel } from '../../readmodel/agreement.ts';
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

/** The labels against the signals of the events shown; `unknown` and unlabelled ones do not count. */
export function agreementOf(
  events: readonly LabelledEvent[],
): Readonly<Record<'noul' | 'choice', Agreement>> {
  const against = (signal: 'noul' | 'choice'): Agreement =>
    events.reduce((sum, { label, drift_signal }) => withLabel(sum, label, drift_signal[signal]), noAgreement);
  return { noul: against('noul'), choice: against('choice') };
}
