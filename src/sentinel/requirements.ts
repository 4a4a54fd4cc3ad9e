import type { ReplanOutcome } from '../contract/obligation.ts';
import type { Obligation } from './obligation.ts';
import { requiredOutcomes } from './qualify-discharge.ts';

/** Who runs the refresh: a real LoopX, or any command behind drift. */
export type Host = 'generic' | 'loopx';

/** What an obligation asks for, as the agent's next prompt carries it (contract §7). */
export interface Requirements {
  readonly required_any_of: readonly ReplanOutcome[];
  readonly planning_guidance: readonly [string, string];
  readonly cli_semantic_args: readonly string[];
  readonly writeback_contract: {
    readonly preferred_input: 'typed_progress_observation';
    /** Left out where the obligation takes no vision. */
    readonly alternative_input?: 'evidence_linked_vision_path';
    readonly alternative_cli_semantic_args?: readonly string[];
    readonly vision_authoring?: string;
    readonly path_outcomes?: readonly ['continue', 'no_change', 'replan'];
    readonly identity_outcomes_require_new_evidence: boolean;
    readonly rule: string;
  };
}

/** Projects both exits of an obligation, in the flags of its host. Only LoopX knows successor todos. */
export function requirementsOf(obligation: Obligation, host: Host): Requirements {
  const review = obligation.triggers[0].kind === 'external_progress_review_drift';
  return {
    required_any_of: requiredOutcomes(obligation.triggers[0].kind).filter(
      (outcome) => host === 'loopx' || outcome !== 'new_runnable_successor',
    ),
    planning_guidance: [
      'Choose a next slice that is tied to one named acceptance criterion, and the check that will show whether it is met.',
      'Returning to an earlier hypothesis is a turn like any other, as long as new evidence leads there.',
    ],
    cli_semantic_args: [
      '--progress-result-class',
      '--progress-surface-id',
      '--progress-hypothesis-id',
      '--progress-probe-kind',
      '--progress-evidence-id',
    ],
    writeback_contract: {
      preferred_input: 'typed_progress_observation',
      ...(review ? visionTerms(host) : {}),
      identity_outcomes_require_new_evidence: review,
      rule: review
        ? 'A new surface, hypothesis or probe counts only with an evidence id that no claim of the window has cited; a claim of the window again, or under another name, closes nothing.'
        : 'The same claim again closes nothing; a new surface, hypothesis, probe or blocker with evidence does.',
    },
  };
}

const visionTerms = (host: Host) =>
  ({
    alternative_input: 'evidence_linked_vision_path',
    alternative_cli_semantic_args: [host === 'loopx' ? '--agent-vision-json' : '--vision'],
    vision_authoring:
      'A JSON object with vision_patch.acceptance_summary, and path_delta with an outcome and at least one of evidence_refs.',
    path_outcomes: ['continue', 'no_change', 'replan'],
  }) as const;
