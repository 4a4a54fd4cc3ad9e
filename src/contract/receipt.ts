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
  /** ISO 8601, whole seconds, with an offset. */
  readonly generated_at: string;
  /** Joins the receipt to its run row. */
  readonly turn_instance_id: string | null;
  /** Who worked; an anonymous run forms no obligation. */
  readonly agent_id: string | null;
  /** What was worked on. */
  readonly todo_id: string | null;
}

export interface Receipt {
  /** Always this. */
  readonly schema_version: typeof receiptSchemaVersion;
  /** The rule by which `drift_signal` follows from `judgments`. */
  readonly signal_rule_version: (typeof signalRules)[keyof typeof signalRules];
  /** The goal; a reader refuses a receipt of another one. */
  readonly goal_id: string;
  /** 64 hex digits, the name of the file. The same transition has the same id for ever. */
  readonly event_id: string;
  /** Digest of what was judged: the contract revision, and both sides of every changed file. */
  readonly evidence_id: string;
  /** sha256 of the basis file's bytes: what the pin of a policy is compared with. */
  readonly contract_revision: string;
  /** Number in the spool of this observer; says nothing across observers. */
  readonly sequence: number;
  /** The run that the transition is bound to. */
  readonly run: RunIdentity;
  /** Only `completed` has signals. */
  readonly status: ReceiptStatus;
  /** Why there is no verdict; null for `completed`. */
  readonly reason: string | null;
  /** Version of the questions or of the proof. */
  readonly question_version: string;
  /** Who judged: a model by its full version, `structural-<n>`, or `none`. */
  readonly model: string;
  /** What was said, before any rule. */
  readonly judgments: Judgments;
  /** What follows from it: true drift, false not drift, null undecided. */
  readonly drift_signal: DriftSignal;
  /** t, from 0.5 to 1. */
  readonly label_probability_threshold: number;
  /** Durations in nanoseconds by step. */
  readonly timing_ns: Readonly<Record<string, number>>;
  /** Tokens, as far as a model counted them. */
  readonly usage: { readonly input_tokens?: number; readonly output_tokens?: number } | null;
  /** Epoch seconds. */
  readonly recorded_at: number;
  /** Whose criteria were used and which changed files were seen; left out where they are too many to name. */
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
