import type { CommandRecord } from './event.ts';
import type { DriftSignal, Judgments, Receipt, RunIdentity } from './receipt.ts';

/** One typed finding of an evaluator, about one file where `path` is set. `detail` is a sentence for people. */
export interface Fact {
  readonly fact: string;
  readonly path?: string;
  /** Proof level, where the fact is a proof. */
  readonly level?: ProofLevel;
  readonly detail?: string;
  /** Old name → new name, where the proof maps names. */
  readonly renames?: Readonly<Record<string, string>>;
}

export type ProofLevel = 'L0' | 'L1' | 'L2' | 'L3' | 'L4';

export const journalSchemaVersion = 'drift_journal_v1';

/** One line of the private journal: the receipt as it is published, and what stays private. */
export interface JournalEntry {
  readonly schema_version: typeof journalSchemaVersion;
  readonly receipt: Receipt;
  readonly evaluator: string;
  readonly facts: readonly Fact[];
  /** What the evaluator wants to be held to: engine version, grammar digests, resolved model. */
  readonly engine?: Readonly<Record<string, string>>;
}

/** One event as `status` shows it (design §5). */
export interface EventSummary {
  readonly event_id: string;
  readonly evidence_id: string;
  readonly sequence: number;
  /** `queued` while nobody has judged it; then the receipt's status, or the capture's. */
  readonly status: string;
  readonly reason: string | null;
  readonly evaluator: string | null;
  readonly drift_signal: DriftSignal;
  readonly judgments: Judgments;
  readonly facts: readonly Fact[];
  readonly run: RunIdentity | null;
  readonly command: Pick<CommandRecord, 'exit_code' | 'signal'> | null;
  readonly files: readonly { readonly path: string; readonly change: string }[];
}
