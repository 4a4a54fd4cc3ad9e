/** Shapes of a progress review receipt (contract §5). */

export const receiptSchemaVersion = 'progress_review_receipt_v0';
export const signalRules = {
  v1: 'progress_review_signal_rule_v1',
  v2: 'progress_review_signal_rule_v2',
} as const;

export const relations = ['on_goal', 'necessary_prerequisite', 'off_goal', 'unknown'] as const;
export const increments = ['new_evidence', 'no_new_evidence', 'unknown'] as const;
export const receiptStatuses = ['completed', 'abstained', 'failed', 'not_evaluated', 'stale'] as const;

export type ReceiptStatus = (typeof receiptStatuses)[number];

export interface ChoiceJudgment {
  readonly relation: (typeof relations)[number] | null;
  readonly increment: (typeof increments)[number] | null;
}

/** Probabilities in [0, 1], or null where there is none. */
export interface NoulJudgment {
  readonly behavior_change: number | null;
  readonly serves_acceptance: number | null;
  readonly evidence_increment: number | null;
}

export interface Judgments {
  readonly choice: ChoiceJudgment | null;
  readonly noul: NoulJudgment | null;
}

/** True: drift. False: not drift, which is never the same as on goal. Null: not decided. */
export interface DriftSignal {
  readonly noul: boolean | null;
  readonly choice: boolean | null;
}

export interface RunIdentity {
  /** ISO 8601, whole seconds, with an offset (contract §2). */
  readonly generated_at: string;
  readonly turn_instance_id: string | null;
  readonly agent_id: string | null;
  readonly todo_id: string | null;
}

export interface Receipt {
  readonly schema_version: typeof receiptSchemaVersion;
  readonly signal_rule_version: (typeof signalRules)[keyof typeof signalRules];
  readonly goal_id: string;
  readonly event_id: string;
  readonly evidence_id: string;
  readonly contract_revision: string;
  readonly sequence: number;
  readonly run: RunIdentity;
  readonly status: ReceiptStatus;
  readonly reason: string | null;
  readonly question_version: string;
  readonly model: string;
  readonly judgments: Judgments;
  readonly drift_signal: DriftSignal;
  readonly label_probability_threshold: number;
  readonly timing_ns: Readonly<Record<string, number>>;
  readonly usage: { readonly input_tokens?: number; readonly output_tokens?: number } | null;
  /** Epoch seconds. */
  readonly recorded_at: number;
  readonly evidence_scope?: unknown;
}
