/** The policy block `control_plane.progress_review` of a goal (contract §4). */

export const policySchemaVersion = 'progress_review_policy_v0';
export const policyModes = ['off', 'shadow', 'assist'] as const;
export const policySignals = ['noul', 'choice'] as const;

/** How many adjacent drift verdicts raise an obligation: both ends count. */
export const driftThresholdRange = { min: 2, max: 20 } as const;

export type PolicyMode = (typeof policyModes)[number];
export type PolicySignal = (typeof policySignals)[number];

export interface ProgressReviewPolicy {
  readonly schema_version: typeof policySchemaVersion;
  readonly mode: PolicyMode;
  /** Which group of judgments counts. */
  readonly signal: PolicySignal;
  readonly drift_threshold: number;
  /** The pin: only receipts of this revision of the basis count. Null: nothing is pinned, so assist is inert. */
  readonly contract_revision: string | null;
  /** Present when the stored block was malformed and every field above is a default. */
  readonly invalid_configuration?: true;
}
