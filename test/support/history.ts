import { createHash } from 'node:crypto';
import type { ReceiptStatus } from '../../src/contract/receipt.ts';

/** A row or a receipt as JSON would give it. */
export type Json = Record<string, unknown>;

export const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

export const pin = sha('the pinned basis');

/** Minute `minute` of one afternoon, as LoopX writes it. */
export const at = (minute: number): string =>
  `2026-10-05T${String(9 + Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}:00+00:00`;

export const claim = (n: number | string, extra: Json = {}): Json => ({
  result_class: 'advanced',
  hypothesis_id: `h-${n}`,
  evidence_ids: [`ev-${n}`],
  ...extra,
});

/** Turn `n` of an agent, with a claim of its own. */
export const row = (n: number, extra: Json = {}): Json => ({
  generated_at: at(n),
  classification: 'bounded_progress',
  agent_id: 'scout',
  turn_instance_id: `t-${n}`,
  progress_observation: claim(n),
  ...extra,
});

export const acknowledgement = (delta: Json = {}): Json => ({
  schema_version: 'autonomous_replan_ack_v0',
  recorded: true,
  source: 'refresh_state_semantic_delta',
  semantic_delta: { schema_version: 'replan_semantic_delta_v0', accepted: true, ...delta },
});

const judgments = {
  drift: {
    choice: { relation: 'off_goal', increment: 'no_new_evidence' },
    noul: { behavior_change: 0.2, serves_acceptance: 0.1, evidence_increment: 0.05 },
  },
  on_goal: {
    choice: { relation: 'on_goal', increment: 'new_evidence' },
    noul: { behavior_change: 0.9, serves_acceptance: 0.8, evidence_increment: 0.9 },
  },
  undecided: { choice: null, noul: null },
};

export type Verdict = keyof typeof judgments | Exclude<ReceiptStatus, 'completed'> | 'pending';

/** The receipt of turn `n`. */
export function receipt(n: number, verdict: Verdict = 'drift', extra: Json = {}): Json {
  const completed = verdict in judgments;
  const judged = completed ? judgments[verdict as keyof typeof judgments] : judgments.undecided;
  const signal = verdict === 'drift' ? true : verdict === 'on_goal' ? false : null;
  return {
    schema_version: 'progress_review_receipt_v0',
    signal_rule_version: 'progress_review_signal_rule_v2',
    goal_id: 'harbour',
    event_id: sha(`event ${n}`),
    evidence_id: sha(`evidence ${n}`),
    contract_revision: pin,
    sequence: n,
    run: { generated_at: at(n), turn_instance_id: `t-${n}`, agent_id: 'scout', todo_id: null },
    status: completed ? 'completed' : verdict === 'pending' ? 'not_evaluated' : verdict,
    reason: verdict === 'pending' ? 'pending_evaluation' : null,
    question_version: 'structural_proof_v1',
    model: 'structural-1',
    judgments: judged,
    drift_signal: { noul: signal, choice: signal },
    label_probability_threshold: 0.6,
    timing_ns: {},
    usage: null,
    recorded_at: 1_791_190_000 + n,
    ...extra,
  };
}

export const policy = (extra: Json = {}): Json => ({
  mode: 'assist',
  signal: 'noul',
  drift_threshold: 2,
  contract_revision: pin,
  ...extra,
});
