import type { DriftEvent, EventStatus } from '../contract/event.ts';
import { type Receipt, receiptSchemaVersion, signalRules } from '../contract/receipt.ts';

/** Receipts that nobody evaluated name no model. */
const NOT_ASKED = 'none';

const reasonOf: Readonly<Record<EventStatus, string>> = {
  checkpoint: 'checkpoint',
  baseline_reset: 'baseline_reset',
  branch_changed: 'branch_changed',
  overlap: 'overlapping_captures',
  duplicate_evidence: 'duplicate_evidence',
  no_delta: 'no_delta',
  queued: 'pending_evaluation',
};

interface Terms {
  readonly threshold: number;
  readonly signalRule: 'v1' | 'v2';
  /** Epoch seconds. */
  readonly recordedAt: number;
}

/**
 * The receipt that a transition has as soon as it is captured: pending, or final where there is nothing to evaluate
 * (design §6). Null for a checkpoint, which is no transition.
 */
export function captureReceipt(
  event: DriftEvent,
  { threshold, signalRule, recordedAt }: Terms,
): Receipt | null {
  if (event.run === null) return null;
  const { generated_at, turn_instance_id, agent_id, todo_id } = event.run;
  return {
    schema_version: receiptSchemaVersion,
    signal_rule_version: signalRules[signalRule],
    goal_id: event.goal_id,
    event_id: event.event_id,
    evidence_id: event.evidence_id,
    contract_revision: event.contract_revision,
    sequence: event.sequence,
    run: { generated_at, turn_instance_id, agent_id, todo_id },
    status: 'not_evaluated',
    reason: reasonOf[event.status],
    question_version: NOT_ASKED,
    model: NOT_ASKED,
    judgments: { choice: null, noul: null },
    drift_signal: { noul: null, choice: null },
    label_probability_threshold: threshold,
    timing_ns: {},
    usage: null,
    recorded_at: recordedAt,
  };
}
