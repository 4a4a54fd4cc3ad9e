import { z } from 'zod';
import { type ActionKind, actionKinds, type Observation, observationSchema } from './finality.ts';

/** What `drift check` answers. `must_finish` is a denial that leaves only the finishing actions. */
export const checkDecisions = ['allow', 'deny', 'must_finish'] as const;
export type CheckDecision = (typeof checkDecisions)[number];

/**
 * Why. An allowed action: `first_observation` and `state_changed` of a new state; `dependency_not_required` for a
 * check that nothing waits for; `not_blocking` where no rule limits this action on this state.
 */
export const checkReasons = [
  'first_observation',
  'state_changed',
  'dependency_not_required',
  'not_blocking',
  'identical_repoll',
  'stuck_work',
  'accepted_without_dependency',
  'required_dependency_open',
] as const;
export type CheckReason = (typeof checkReasons)[number];

/** The active-process entry: what is handed off, and what comes next. */
export const checkEntrySchema = z.strictObject({
  /** Stable identifier of the asynchronous hand-off. */
  id: z.string().min(1),
  /** Current normalised state; the dependency's state unless the caller names another. */
  status: z.string(),
  /** Latest meaningful output or a reference to it. */
  output: z.string().nullable(),
  /** What the fingerprint is computed from. */
  normalized_state: observationSchema,
  dependency_required: z.boolean(),
  /** The declared stage action. */
  next_action: z.enum(actionKinds),
  /** What the next change of state would look like. */
  expected_transition: z.string().nullable(),
  /** How many checks this fingerprint has used up. */
  checks_for_state: z.int().min(0),
  /** The condition under which the next unchanged observation escalates. */
  escalation_trigger: z.string().nullable(),
});
export type CheckEntry = z.infer<typeof checkEntrySchema>;

export const checkLedgerVersion = 'drift_check_ledger_v1';

const fingerprint = z.string().regex(/^[0-9a-f]{64}$/);

/** One hand-off's ledger: `<state>/check/<sha256 of the id>/<revision>.json`, the highest revision counts. */
export const checkLedgerSchema = z.strictObject({
  schema_version: z.literal(checkLedgerVersion),
  id: z.string().min(1),
  /** ISO 8601. */
  updated_at: z.string(),
  /** False once the run declared itself complete, or delivered with nothing open. */
  open: z.boolean(),
  /** Each stage's contract, fixed by its first call, and the newest state of its dependency. */
  stages: z.array(
    z.strictObject({ stage: z.string(), dependency_required: z.boolean(), dependency_state: z.string() }),
  ),
  /** Checks used up by fingerprint, for the life of the ledger. */
  checks: z.record(fingerprint, z.int().min(1)),
  identical_repolls: z.int().min(0),
  previous: z.strictObject({ fingerprint, action: z.enum(actionKinds) }).nullable(),
  /** Null after a reset. */
  entry: checkEntrySchema.nullable(),
  /** Newest last; the latest 20. */
  resets: z.array(z.strictObject({ reason: z.string(), at: z.string() })),
});
export type CheckLedger = z.infer<typeof checkLedgerSchema>;

/** One call of `drift check`. */
export interface CheckRequest {
  readonly id: string;
  readonly observation: Observation;
  readonly action: ActionKind;
  readonly status?: string | undefined;
  readonly output?: string | undefined;
  readonly expectedTransition?: string | undefined;
  readonly escalationTrigger?: string | undefined;
}

/** The document of `drift check --json`, but for the schema and the probe. */
export interface CheckRuling {
  readonly id: string;
  readonly fingerprint: string;
  readonly decision: CheckDecision;
  readonly reason: CheckReason;
  readonly allowed_actions: readonly ActionKind[];
  readonly checks_for_state: number;
  readonly identical_repolls: number;
  readonly entry: CheckEntry;
}
