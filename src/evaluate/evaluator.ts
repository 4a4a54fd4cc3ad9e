import type { Basis } from '../contract/basis.ts';
import type { Fact } from '../contract/judged-event.ts';
import type { Judgments } from '../contract/receipt.ts';

export type { Fact, ProofLevel } from '../contract/judged-event.ts';

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
  /** What the evaluator wants to be held to: engine version, grammar digests, resolved model. Stays private. */
  readonly engine?: Readonly<Record<string, string>>;
  readonly usage?: { readonly input_tokens?: number; readonly output_tokens?: number };
}

/** One way to judge a transition. Never throws for bad input: what it cannot judge, it abstains on. */
export type Evaluator = (input: EvaluationInput) => Promise<Evaluation>;
