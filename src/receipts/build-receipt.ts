import type { DriftEvent } from '../contract/event.ts';
import type { EvidenceScope, Receipt } from '../contract/receipt.ts';
import type { Evaluation } from '../evaluate/evaluator.ts';
import { deriveSignals } from '../sentinel/derive-signals.ts';
import { captureReceipt } from './capture-receipt.ts';

interface Terms {
  readonly threshold: number;
  readonly signalRule: 'v1' | 'v2';
  /** Epoch seconds. */
  readonly recordedAt: number;
  readonly timingNs: Readonly<Record<string, number>>;
  /** Null: none is stated. */
  readonly scope?: EvidenceScope | null;
}

/** The receipt of an evaluated event: same identity and sequence as the pending one, signals by the configured rule. */
export function buildReceipt(event: DriftEvent, evaluation: Evaluation, terms: Terms): Receipt | null {
  const pending = captureReceipt(event, terms);
  if (pending === null) return null;
  const { status, reason, judgments, model, question_version, usage } = evaluation;
  return {
    ...pending,
    status,
    reason,
    judgments,
    model,
    question_version,
    usage: usage ?? null,
    timing_ns: terms.timingNs,
    ...(terms.scope ? { evidence_scope: terms.scope } : {}),
    drift_signal: deriveSignals({
      judgments,
      status,
      threshold: terms.threshold,
      rule: pending.signal_rule_version,
    }),
  };
}
