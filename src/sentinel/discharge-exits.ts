import type { ReplanOutcome } from '../contract/obligation.ts';
import type { DischargeHistory } from './discharge-history.ts';
import type { Obligation } from './obligation.ts';
import { qualifyDischarge } from './qualify-discharge.ts';

/** One way out of an obligation: a claim, a vision, or both, that would be accepted as they stand. */
export interface DischargeExit {
  readonly outcome: ReplanOutcome;
  /** What it says, for the agent. */
  readonly meaning: string;
  readonly observation?: Readonly<Record<string, unknown>>;
  readonly vision?: Readonly<Record<string, unknown>>;
}

/**
 * The exits that an obligation really has (contract §8, design §8). Each is held against the very rules that a
 * writeback meets, and left out when they would refuse it. The identifiers are stand-ins that belong to this obligation
 * alone, so that nothing pasted twice becomes a replay; an agent puts its own in their place.
 */
export function dischargeExits(obligation: Obligation, history: DischargeHistory): DischargeExit[] {
  return candidateExits(obligation).filter(({ outcome, observation, vision }) => {
    const { accepted, satisfying_outcomes } = qualifyDischarge({
      obligation,
      observation,
      vision,
      ...history,
    });
    return accepted && satisfying_outcomes.includes(outcome);
  });
}

const STAND_IN_DIGITS = 8;
const MAX_REFS = 4;
const REF_DIGITS = 16;

function candidateExits(obligation: Obligation): DischargeExit[] {
  const mark = obligation.obligation_id.replace('replan-', '').slice(0, STAND_IN_DIGITS);
  const evidence_ids = [`new-evidence-${mark}`];
  const claim = (outcome: ReplanOutcome, meaning: string, observation: object): DischargeExit => ({
    outcome,
    meaning,
    observation: { ...observation, evidence_ids },
  });
  return [
    claim('new_hypothesis', 'try another explanation, with evidence that no claim has cited yet', {
      result_class: 'advanced',
      hypothesis_id: `new-hypothesis-${mark}`,
    }),
    claim('new_surface', 'work somewhere else, with evidence that no claim has cited yet', {
      result_class: 'advanced',
      surface_id: `new-surface-${mark}`,
    }),
    claim('new_probe_family', 'check in another way, with evidence that no claim has cited yet', {
      result_class: 'advanced',
      probe_kind: `new-probe-${mark}`,
    }),
    claim('new_concrete_blocker', 'name what blocks the work, with evidence', {
      result_class: 'blocked',
      blocker_id: `new-blocker-${mark}`,
    }),
    claim('coverage_backed_exploration_exhausted', 'everything in this scope has been tried', {
      result_class: 'exploration_exhausted',
      coverage_scope_id: `scope-${mark}`,
      coverage_complete: true,
    }),
    {
      ...claim('coverage_backed_no_followup', 'nothing in this scope is left to do', {
        result_class: 'no_followup',
        coverage_scope_id: `scope-${mark}`,
      }),
      vision: visionOf(obligation, { outcome: 'stop', state: 'no_followup' }),
    },
    {
      outcome: 'fresh_vision_path_outcome',
      meaning: 'review the judged work and record the path, also to keep the plan as it is',
      vision: visionOf(obligation, { outcome: 'continue', state: 'vision_patch_proposed' }),
    },
  ];
}

/** Refers to the receipts that were reviewed: evidence that exists, and that no earlier review can have cited. */
function visionOf(
  { triggers: [trigger], obligation_id }: Obligation,
  { outcome, state }: { readonly outcome: string; readonly state: string },
): Readonly<Record<string, unknown>> {
  const receipts = trigger.kind === 'external_progress_review_drift' ? trigger.receipt_ids : [];
  const refs = receipts.slice(0, MAX_REFS).map((id) => `receipt:${id.slice(0, REF_DIGITS)}`);
  return {
    state,
    vision_patch: {
      acceptance_summary: 'Say which acceptance criteria are met, which are not, and by what evidence.',
    },
    path_delta: {
      outcome,
      prior_assumption: 'Say what the plan assumed.',
      observed_reality: 'Say what the review of the judged turns found.',
      retained: ['Say what stays, and why.'],
      evidence_refs: refs.length > 0 ? refs : [`obligation:${obligation_id}`],
    },
  };
}
