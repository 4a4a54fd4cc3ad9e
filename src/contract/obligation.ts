/** What a writeback can change, and so close an obligation with (contract §7, §8). */
export const replanOutcomes = [
  'fresh_vision_path_outcome',
  'new_surface',
  'new_hypothesis',
  'new_probe_family',
  'new_runnable_successor',
  'coverage_backed_exploration_exhausted',
  'new_concrete_blocker',
  'coverage_backed_no_followup',
] as const;

export type ReplanOutcome = (typeof replanOutcomes)[number];

/** Why a writeback does not close an obligation, where there is more to say than that nothing changed. */
export const dischargeReasonCodes = [
  'progress_observation_replayed',
  'progress_identity_without_new_evidence',
  'no_followup_vision_path_inconsistent',
  'vision_path_replayed',
] as const;

export type DischargeReasonCode = (typeof dischargeReasonCodes)[number];

/** The outcome of holding one writeback against one obligation. */
export interface Discharge {
  readonly accepted: boolean;
  /** What the writeback changes, whether or not this obligation accepts it. */
  readonly outcomes: readonly ReplanOutcome[];
  readonly satisfying_outcomes: readonly ReplanOutcome[];
  /** Absent when accepted, and for a refusal without a special reason. */
  readonly reason_code?: DischargeReasonCode;
}
