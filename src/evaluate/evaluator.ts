import type { Basis } from '../contract/basis.ts';
import type { Judgments } from '../contract/receipt.ts';

/** One declared or evidence file on both sides of a transition; null bytes: the file is missing there. */
export interface FileTransition {
  /** Relative to the workspace, `/` between the parts. */
  readonly path: string;
  readonly role: 'declared' | 'evidence';
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

/** Where a change stands in the unbroken chain of checkpoints (design §6). */
export interface ChangeHistory {
  /** The after-state equals an earlier checkpoint. */
  readonly revisit: boolean;
  /** How often this very change has been made in the chain, this time included: 1 for a first one. */
  readonly repetition: number;
  /** A second full round trip, or a repeat after it: proven drift, L4. */
  readonly cycle: boolean;
}

/** What an evaluator may see. Never a goal id, an agent, a self-report or a label (design §7). */
export interface EvaluationInput {
  readonly basis: Basis;
  /** Every declared and evidence file, the unchanged ones included. */
  readonly files: readonly FileTransition[];
  readonly history: ChangeHistory;
  readonly structural: StructuralOptions;
}

export interface StructuralOptions {
  readonly constant_tests: boolean;
  readonly restated_evidence: boolean;
  /** Milliseconds that one file may take before it abstains. */
  readonly file_budget_ms: number;
}

/** One typed finding, about one file where `path` is set. `detail` is a sentence for `drift show`. */
export interface Fact {
  readonly fact: string;
  readonly path?: string;
  /** Proof level L0–L4, where the fact is a proof. */
  readonly level?: ProofLevel;
  readonly detail?: string;
  /** Old name → new name, where the proof maps names. */
  readonly renames?: Readonly<Record<string, string>>;
}

export type ProofLevel = 'L0' | 'L1' | 'L2' | 'L3' | 'L4';

/** What an evaluator says of one transition. Both judgments null unless something was decided. */
export interface Evaluation {
  readonly status: 'completed' | 'abstained' | 'failed' | 'not_evaluated' | 'stale';
  /** Null, or `[a-z0-9_]{1,80}` (contract §5). */
  readonly reason: string | null;
  readonly judgments: Judgments;
  readonly facts: readonly Fact[];
  readonly evaluator: string;
  readonly model: string;
  readonly question_version: string;
  readonly usage?: { readonly input_tokens?: number; readonly output_tokens?: number };
}

/** One way to judge a transition. Never throws for bad input: what it cannot judge, it abstains on. */
export type Evaluator = (input: EvaluationInput) => Promise<Evaluation>;
