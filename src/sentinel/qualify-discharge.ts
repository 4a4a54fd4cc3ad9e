import { type Discharge, type ReplanOutcome, replanOutcomes } from '../contract/obligation.ts';
import type { ProgressObservation } from '../contract/observation.ts';
import { asJsonObject, isJsonObject, type JsonObject } from '../json/json-object.ts';
import { type ClaimDelta, type ClaimHistory, freshClaimDelta, novelClaimDelta } from './claim-delta.ts';
import { normalizeObservation } from './normalize-observation.ts';
import { textOf } from './strip-text.ts';
import { readVisionPath, type VisionPath } from './vision-path.ts';

export interface QualifyDischargeInput {
  readonly obligation: unknown;
  readonly observation?: unknown;
  readonly vision?: unknown;
  /** Claims that closed earlier obligations of this goal and agent. */
  readonly discharged?: unknown;
  /** Visions that did so. */
  readonly discharged_visions?: unknown;
  /** Evidence ids that the agent had cited by the time it closed the last of them. */
  readonly earlier_evidence_ids?: unknown;
}

/** What a typed repeat asks for is looser: no novelty of evidence, but no vision exit either (contract §8). */
const typedRepeatOutcomes = replanOutcomes.filter((outcome) => outcome !== 'fresh_vision_path_outcome');

/** The outcomes of which one closes an obligation with this trigger. */
export const requiredOutcomes = (triggerKind: unknown): readonly ReplanOutcome[] =>
  triggerKind === 'typed_progress_repeat' ? typedRepeatOutcomes : replanOutcomes;

/**
 * Says whether a typed claim, a vision, or both together close an obligation (contract §8, §13.6; design §8).
 *
 * A claim that merely repeats or renames is refused; with a valid vision beside it the vision alone is accepted. A
 * claim of no follow-up without its vision is refused whatever else is valid. Only what is typed counts: flags and
 * classifications do not come in here.
 */
export function qualifyDischarge(input: QualifyDischargeInput): Discharge {
  const raw = asJsonObject(input);
  const obligation = asJsonObject(raw['obligation']);
  const triggers = (Array.isArray(obligation['triggers']) ? obligation['triggers'] : []).filter(isJsonObject);
  const typedRepeat = triggers.some((trigger) => trigger['kind'] === 'typed_progress_repeat');
  const claim = readClaim(raw['observation']);
  const vision = readVisionPath(raw['vision']);
  const history = historyOf([obligation, ...triggers], raw);
  const delta = claim ? claimDelta(claim, history, typedRepeat) : { outcomes: [] };
  return settle(delta, vision, {
    accepts: requiredOutcomes(typedRepeat ? 'typed_progress_repeat' : undefined),
    spentRefs: spentRefsOf(raw['discharged_visions']),
  });
}

function claimDelta(claim: ProgressObservation, history: ClaimHistory, typedRepeat: boolean): ClaimDelta {
  return typedRepeat ? freshClaimDelta(claim, history) : novelClaimDelta(claim, history);
}

function settle(
  delta: ClaimDelta,
  vision: VisionPath | null,
  terms: { readonly accepts: readonly ReplanOutcome[]; readonly spentRefs: ReadonlySet<string> },
): Discharge {
  const unbacked =
    delta.outcomes.includes('coverage_backed_no_followup') && vision?.endsWithoutFollowup !== true;
  const replayed = vision?.fresh === true && vision.evidenceRefs.every((ref) => terms.spentRefs.has(ref));
  const outcomes: ReplanOutcome[] = unbacked ? [] : [...delta.outcomes];
  if (vision?.fresh && !replayed) outcomes.push('fresh_vision_path_outcome');
  const satisfying = unbacked ? [] : outcomes.filter((outcome) => terms.accepts.includes(outcome));
  if (satisfying.length > 0) return { accepted: true, outcomes, satisfying_outcomes: satisfying };
  const reason = unbacked
    ? 'no_followup_vision_path_inconsistent'
    : (delta.reason_code ?? (replayed ? 'vision_path_replayed' : undefined));
  return {
    accepted: false,
    outcomes,
    satisfying_outcomes: [],
    ...(reason ? { reason_code: reason } : {}),
  };
}

/** The baseline and the window stand on the obligation, or on its trigger. */
function historyOf(holders: readonly JsonObject[], raw: JsonObject): ClaimHistory {
  const baseline = readClaim(
    holders.find((holder) => isJsonObject(holder['progress_baseline']))?.['progress_baseline'],
  );
  const window = readClaims(
    holders.find((holder) => Array.isArray(holder['progress_window']))?.['progress_window'],
  );
  const earlier = raw['earlier_evidence_ids'];
  return {
    baseline,
    known: baseline ? [baseline, ...window] : window,
    discharged: readClaims(raw['discharged']),
    earlierEvidence: (Array.isArray(earlier) ? earlier : []).map(textOf),
  };
}

function readClaim(value: unknown): ProgressObservation | null {
  const read = normalizeObservation({ observation: value });
  return read.ok ? read.observation : null;
}

const readClaims = (values: unknown): ProgressObservation[] =>
  (Array.isArray(values) ? values : []).map(readClaim).filter((claim) => claim !== null);

const spentRefsOf = (visions: unknown): ReadonlySet<string> =>
  new Set(
    (Array.isArray(visions) ? visions : []).flatMap((vision) => readVisionPath(vision)?.evidenceRefs ?? []),
  );
