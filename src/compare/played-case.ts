import type { MatrixCase } from '../contract/comparison.ts';
import type { DriftSignal, Judgments, Receipt } from '../contract/receipt.ts';
import type { JsonObject } from '../json/json-object.ts';

/** How the answer of a round came about. */
export type ExecutionKind = 'offline' | 'recorded_replay' | 'live_provider_recording' | 'none';

/** What became of one round. */
export interface PlayedRound {
  /** Counted from 1. */
  readonly round: number;
  /** Of the receipt once judged, else of the capture (`no_delta`, …), else `not_captured`. */
  readonly status: string;
  readonly reason: string | null;
  readonly evaluator: string | null;
  readonly model: string | null;
  readonly question_version: string | null;
  readonly execution: ExecutionKind;
  readonly judgments: Judgments;
  readonly drift_signal: DriftSignal;
  /** Milliseconds of judging; null where nothing was judged. */
  readonly assessment_ms: number | null;
  readonly usage: Receipt['usage'];
}

/** One case after all its rounds, with what the policy reads. */
export interface PlayedCase {
  readonly definition: MatrixCase;
  readonly contractRevision: string;
  readonly rounds: readonly PlayedRound[];
  /** The row of each round in the run history; null: none. */
  readonly rows: readonly (JsonObject | null)[];
  /** The receipt of each round; null: none. */
  readonly receipts: readonly (Receipt | null)[];
  /** The case as it would have been at another label threshold, without judging anything anew. */
  readonly atThreshold: (labelThreshold: number) => PlayedCase;
}
