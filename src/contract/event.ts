import type { RunIdentity } from './receipt.ts';

export const eventSchemaVersion = 'drift_event_v1';

/**
 * What became of a transition at capture (design §6), the first that fits. `checkpoint` is no transition: init's
 * first snapshot, or edits that the owner absorbed.
 */
export const eventStatuses = [
  'checkpoint',
  'baseline_reset',
  'branch_changed',
  'overlap',
  'duplicate_evidence',
  'no_delta',
  'queued',
] as const;

export type EventStatus = (typeof eventStatuses)[number];

/** Why a refresh could not be captured. It has no sequence number and no receipt; it is tallied. */
export const captureFailureReasons = [
  'files_unstable',
  'over_budget',
  'too_many_files',
  'symlink',
  'not_regular',
  'names_collide',
  'glob_over_limit',
  'workspace_missing',
  'workspace_replaced',
  'runtime_replaced',
  'changed_during_command',
  'basis_unreadable',
  'run_ambiguous',
  'run_not_found',
  'run_unreadable',
  'stdout_not_json',
  'low_space',
  'contended',
  'write_failed',
  'internal',
] as const;

export type CaptureFailureReason = (typeof captureFailureReasons)[number];

/** Why a path's content is not text that can be judged. */
export type UnreadableReason = 'binary' | 'not_utf8' | 'too_large' | 'permission';

/** Where the bytes of a text lie: absolute offset in the event file of `sequence`. */
export interface TextPlace {
  readonly sequence: number;
  readonly offset: number;
}

/** Metadata of a file as `lstat` gave it; milliseconds with their fraction. Equal metadata spares a read. */
export interface FileStat {
  readonly size: number;
  readonly mtime_ms: number;
  readonly ctime_ms: number;
  readonly ino: number;
}

/** One declared or evidence file at one checkpoint. */
export interface FileState {
  readonly path: string;
  readonly role: 'declared' | 'evidence';
  readonly state: 'text' | 'missing' | 'unreadable';
  readonly reason?: UnreadableReason;
  /** Of the bytes; null where the file is missing or could not be read. */
  readonly sha256: string | null;
  readonly stat: FileStat | null;
  /** Set for text only. */
  readonly text: TextPlace | null;
  /** Against the checkpoint before; left out when nothing changed. */
  readonly change?: 'added' | 'deleted' | 'modified';
  /** The side before, for a file that was there and changed: an event can be judged without its predecessor. */
  readonly before?: BeforeState;
}

export interface BeforeState {
  readonly state: 'text' | 'unreadable';
  readonly reason?: UnreadableReason;
  readonly sha256: string | null;
  readonly size: number;
  readonly text: TextPlace | null;
}

/** Where a change stands in the unbroken chain. Digests are sha256 over paths and contents. */
export interface ChainFacts {
  /** Sequence number of the checkpoint that the unbroken chain began with. */
  readonly start: number;
  /** How often the after-state has been a checkpoint of the chain, this time included. */
  readonly state_visits: number;
  /** How often this very change has been made in the chain, this time included; 0 when nothing changed. */
  readonly repetition: number;
  readonly revisit: boolean;
  readonly cycle: boolean;
}

/** The wrapped command; `argv_digest` instead of its words, which may hold secrets. */
export interface CommandRecord {
  readonly argv_digest: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly duration_ms: number;
}

/** The run that a transition is bound to, and the digest of the record that says so. */
export interface RunBinding extends RunIdentity {
  readonly json_path: string;
  readonly record_digest: string;
}

/** A session log as it was when the command ended; the drain reads no further than `size`. */
export interface SessionLogNote {
  readonly file: string;
  readonly size: number;
}

/** One entry of the chain. Immutable; `sequence` is its file's name. */
export interface DriftEvent {
  readonly schema_version: typeof eventSchemaVersion;
  readonly sequence: number;
  readonly event_id: string;
  readonly evidence_id: string;
  /** Digest of the predecessor's JSON; null for the first entry. */
  readonly prev: string | null;
  readonly status: EventStatus;
  readonly observer_id: string;
  readonly goal_id: string;
  readonly contract_revision: string;
  readonly epoch: number;
  readonly config_digest: string;
  /** ISO 8601, UTC, milliseconds; taken before the first file was looked at. */
  readonly captured_at: string;
  readonly host: 'generic' | 'loopx';
  readonly run: RunBinding | null;
  readonly command: CommandRecord | null;
  /** Owner's words for a checkpoint. */
  readonly note?: string;
  readonly session_log?: SessionLogNote;
  /** True while a required dependency is pending (a declared wait). */
  readonly waiting?: boolean;
  /** The ref that `.git/HEAD` names; null without git. */
  readonly ref: string | null;
  readonly state_digest: string;
  readonly change_digest: string;
  readonly chain: ChainFacts;
  readonly files: readonly FileState[];
  /** Entries so far by status, this one included. */
  readonly totals: Readonly<Record<EventStatus, number>>;
  /** Capture failures tallied when this was written; a larger tally later means reset. */
  readonly failures_seen: number;
}
