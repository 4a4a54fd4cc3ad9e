import type { ProofLevel } from '../../evaluator.ts';

/** What kind of difference a proof bridges; the goal guard asks whether the goal wants this kind of change. */
export type ChangeClass =
  | 'whitespace'
  | 'format'
  | 'comment'
  | 'docstring'
  | 'rename'
  | 'order'
  | 'key_order'
  | 'tests'
  | 'restated';

/** Why a file is not proven cosmetic. A `guard_<class>` is added by the goal guard. */
export type AbstentionReason =
  | 'parse_error'
  | 'no_grammar'
  | 'added_file'
  | 'deleted_file'
  | 'shape_differs'
  | 'value_differs'
  | 'rename_unsafe'
  | 'over_budget'
  | 'incomplete_coverage'
  | 'engine_error';

/** A proof that two versions of a file mean the same. */
export interface Proof {
  readonly proven: true;
  readonly level: ProofLevel;
  readonly classes: readonly ChangeClass[];
  /** Old name → new name. */
  readonly renames: Readonly<Record<string, string>>;
  /** New names that other files, callers or people can see. */
  readonly visibleNames: readonly string[];
  /** What an asserted constant is called, where the proof is about tests. */
  readonly asserted?: readonly string[];
}

/** No proof, and why. `detail` says where, for people. */
export interface Abstention {
  readonly proven: false;
  readonly reason: AbstentionReason;
  readonly detail?: string;
}

export type Judgment = Proof | Abstention;

export const abstain = (reason: AbstentionReason, detail?: string): Abstention =>
  detail === undefined ? { proven: false, reason } : { proven: false, reason, detail };

export const prove = (level: ProofLevel, ...classes: ChangeClass[]): Proof => ({
  proven: true,
  level,
  classes,
  renames: {},
  visibleNames: [],
});

const LEVELS: readonly ProofLevel[] = ['L0', 'L1', 'L2', 'L3', 'L4'];

/** The weaker of two proofs decides: the higher level. */
export function weakest(levels: readonly ProofLevel[]): ProofLevel {
  return LEVELS[Math.max(0, ...levels.map((level) => LEVELS.indexOf(level)))] ?? 'L0';
}
