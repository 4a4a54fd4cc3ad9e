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
  readonly evidence_scope?: EvidenceScope;
}

/** A receipt as a reader gives it back: two fields are the reader's own word, whatever the file says of them. */
export interface NormalizedReceipt extends Receipt {
  /** Always the event id. */
  readonly receipt_id: string;
  readonly authority: 'none';
}

/** What an evaluation was held against, and which files it saw (contract §10). */
export interface EvidenceScope {
  readonly criterion_binding: CriterionBinding;
  readonly coverage: 'declared_file_net_change';
  /** Relative to the workspace; at most 32, each 1–1024 characters. */
  readonly files: readonly string[];
}

/** Whose criteria they were: the wording of a basis file, or the acceptance that its owner keeps. */
export type CriterionBinding =
  | { readonly origin: 'operator_study'; readonly criteria_sha256: string }
  | {
      readonly origin: 'goal_acceptance';
      readonly goal_id: string;
      readonly agent_id: string;
      readonly todo_id: string;
      readonly contract_digest: string;
      /** Counted from 1 by the owner; not the observer's revision of the basis. */
      readonly contract_revision: number;
      readonly todo_semantic_digest: string;
      readonly criterion_ids: readonly string[];
      readonly criteria_sha256: string;
    };

/** Why a document is no receipt. `field` beside it says where. */
export const receiptFaults = [
  'not_an_object',
  'unknown_version',
  'missing',
  'wrong_type',
  'not_allowed',
  'out_of_range',
  'unknown_key',
  'signal_disagrees',
  'scope_mismatch',
] as const;

export type ReceiptFault = (typeof receiptFaults)[number];
