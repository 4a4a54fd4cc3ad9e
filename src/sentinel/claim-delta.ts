import type { DischargeReasonCode, ReplanOutcome } from '../contract/obligation.ts';
import type { ObservationId, ProgressObservation, ResultClass } from '../contract/observation.ts';

/** The claims that a new one is held against. */
export interface ClaimHistory {
  /** The claim that the obligation is bound to. */
  readonly baseline: ProgressObservation | null;
  /** Every claim of the obligation, the baseline included. */
  readonly known: readonly ProgressObservation[];
  /** Claims that closed earlier obligations of this goal and agent. */
  readonly discharged: readonly ProgressObservation[];
  /** Evidence ids that the agent had cited by the time it closed the last of them. */
  readonly earlierEvidence: readonly string[];
}

export interface ClaimDelta {
  readonly outcomes: readonly ReplanOutcome[];
  readonly reason_code?: DischargeReasonCode;
}

/** What a claim changes against the baseline (contract §8, the facts), before any question of novelty. */
export function claimOutcomes(claim: ProgressObservation, history: ClaimHistory): ReplanOutcome[] {
  if (!claim.evidence_ids) return [];
  switch (claim.result_class) {
    case 'advanced':
      return identifierOutcomes(claim, history.baseline);
    case 'blocked':
      return isNewBlocker(claim, history) ? ['new_concrete_blocker'] : [];
    case 'exploration_exhausted':
      return claim.coverage_complete === true && isNewCoverage(claim, history)
        ? ['coverage_backed_exploration_exhausted']
        : [];
    case 'no_followup':
      return isNewCoverage(claim, history) ? ['coverage_backed_no_followup'] : [];
    case 'unchanged':
      return [];
  }
}

const identifierOutcome = {
  surface_id: 'new_surface',
  hypothesis_id: 'new_hypothesis',
  probe_kind: 'new_probe_family',
} as const;

/** An identifier that is absent from the claim is not a new one; one that is absent from the baseline makes it new. */
function identifierOutcomes(
  claim: ProgressObservation,
  baseline: ProgressObservation | null,
): ReplanOutcome[] {
  const fields = ['surface_id', 'hypothesis_id', 'probe_kind'] as const;
  return fields
    .filter((field) => claim[field] !== undefined && claim[field] !== baseline?.[field])
    .map((field) => identifierOutcome[field]);
}

/** A blocker that anybody in the window named before is not new, whatever the baseline says (seed; design §8). */
const isNewBlocker = ({ blocker_id: blocker }: ProgressObservation, { known }: ClaimHistory): boolean =>
  blocker !== undefined && known.every((claim) => claim.blocker_id !== blocker);

/** Proof churn is not novelty: the same end over the same scope stays known, until an exhaustion becomes complete. */
const isNewCoverage = (claim: ProgressObservation, { known }: ClaimHistory): boolean =>
  claim.coverage_scope_id !== undefined &&
  known.every(
    (prior) =>
      prior.result_class !== claim.result_class ||
      prior.coverage_scope_id !== claim.coverage_scope_id ||
      (claim.result_class === 'exploration_exhausted' && prior.coverage_complete !== claim.coverage_complete),
  );

/**
 * Holds a claim to the rules of an external review (seed; contract §8): no claim of the window again, and no new name
 * over old evidence.
 */
export function novelClaimDelta(claim: ProgressObservation, history: ClaimHistory): ClaimDelta {
  if (history.known.some((prior) => prior.fingerprint === claim.fingerprint))
    return { outcomes: [], reason_code: 'progress_observation_replayed' };
  const delta = freshClaimDelta(claim, history);
  if (delta.outcomes.length === 0 || claim.result_class !== 'advanced') return delta;
  return citesNewEvidence(claim, history.known)
    ? delta
    : { outcomes: [], reason_code: 'progress_identity_without_new_evidence' };
}

/**
 * What a claim changes, unless it already closed an earlier obligation (design §8): the same end again needs evidence
 * that is new since then, and another name for it needs evidence that closed nothing yet. Letter case makes nothing new.
 */
export function freshClaimDelta(claim: ProgressObservation, history: ClaimHistory): ClaimDelta {
  const outcomes = claimOutcomes(claim, history);
  const spent = history.discharged.flatMap((prior) => prior.evidence_ids ?? []);
  const repeats = history.discharged.some((prior) => isSameEnd(prior, claim));
  const old = new Set([...spent, ...(repeats ? history.earlierEvidence : [])].map((id) => id.toLowerCase()));
  const replayed = (claim.evidence_ids ?? []).every((id) => old.has(id.toLowerCase()));
  return outcomes.length > 0 && replayed
    ? { outcomes: [], reason_code: 'progress_observation_replayed' }
    : { outcomes };
}

/** What makes two claims of one class the same end, whatever else they name and whatever evidence they cite. */
const endFields = {
  advanced: ['surface_id', 'hypothesis_id', 'probe_kind'],
  blocked: ['blocker_id'],
  exploration_exhausted: ['coverage_scope_id'],
  no_followup: ['coverage_scope_id'],
  unchanged: [],
} as const satisfies Record<ResultClass, readonly ObservationId[]>;

const isSameEnd = (one: ProgressObservation, other: ProgressObservation): boolean =>
  one.result_class === other.result_class &&
  endFields[other.result_class].every((field) => one[field]?.toLowerCase() === other[field]?.toLowerCase());

function citesNewEvidence(claim: ProgressObservation, known: readonly ProgressObservation[]): boolean {
  const cited = new Set(known.flatMap((prior) => prior.evidence_ids ?? []));
  return (claim.evidence_ids ?? []).some((id) => !cited.has(id));
}
