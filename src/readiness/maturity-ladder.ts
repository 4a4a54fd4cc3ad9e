import type { ProgressReviewPolicy } from '../contract/policy.ts';
import type { GoalReadiness } from './goal-readiness.ts';

/** Entry evidence of stage 1 (seed): so long or so much, each goal. */
const MIN_DAYS = 14;
const MIN_RECEIPTS = 40;
const MIN_GOALS = 2;

/** One goal on the ladder; no readiness where its policy is off and nothing of it is read. */
export interface LadderGoal {
  readonly goal_id: string;
  readonly policy: ProgressReviewPolicy;
  /** Of the basis as it is now. */
  readonly contract_revision: string;
  readonly readiness: GoalReadiness | null;
}

/** Met, missing, or somebody's to judge: where the seed leaves the decision to a person, no number stands in for it. */
export interface StageEvidence {
  readonly what: string;
  readonly state: 'met' | 'missing' | 'to_judge';
  readonly detail: string;
}

export interface Stage {
  readonly stage: 0 | 1 | 2 | 3;
  readonly allows: string;
  readonly evidence: readonly StageEvidence[];
  readonly decides: string;
}

const evidence = (what: string, met: boolean, detail: string): StageEvidence => ({
  what,
  state: met ? 'met' : 'missing',
  detail,
});

const toJudge = (what: string, detail: string): StageEvidence => ({ what, state: 'to_judge', detail });

/** The maturity ladder of the seed with the evidence that these goals have for each stage. */
export function assessLadder(goals: readonly LadderGoal[]): Stage[] {
  return [preview(), shadow(goals), assist(goals), beyond];
}

const preview = (): Stage => ({
  stage: 0,
  allows: 'the preview: shadow and pinned assist exist, everything is off by default',
  evidence: [
    toJudge('drift itself', 'its tests, comparison and documents; nothing of your goals is needed for it'),
  ],
  decides: 'the maintainers',
});

function shadow(goals: readonly LadderGoal[]): Stage {
  const watched = goals.filter(({ policy }) => policy.mode !== 'off');
  const early = goals.some(({ readiness }) =>
    readiness?.lead_times.some(({ labelled_before_run_20 }) => labelled_before_run_20),
  );
  return {
    stage: 1,
    allows: 'shadow on two or more long-running goals',
    evidence: [
      evidence('two goals in shadow', watched.length >= MIN_GOALS, `${watched.length} of ${goals.length}`),
      ...goals.flatMap(shadowEvidence),
      evidence(
        'one real drift labelled before run 20',
        early,
        early ? 'there is one' : 'none of these goals has one',
      ),
      toJudge(
        'false-flag rate and lead time, as their owners report them',
        'the figures of each goal stand above',
      ),
    ],
    decides: 'the goal owner',
  };
}

function shadowEvidence({ goal_id, readiness }: LadderGoal): StageEvidence[] {
  if (readiness === null)
    return [evidence(`${goal_id}: observed`, false, 'its policy is off, so nothing of it is read')];
  const { days_observed: days, receipts, labels, unlabelled } = readiness;
  const labelled = labels.drift + labels.on_goal + labels.unknown;
  return [
    evidence(
      `${goal_id}: 14 days or 40 receipts`,
      days >= MIN_DAYS || receipts >= MIN_RECEIPTS,
      `${days} day(s), ${receipts} receipt(s)`,
    ),
    evidence(
      `${goal_id}: labelled`,
      labelled > 0,
      `${labelled} labelled, ${unlabelled} not; how many are enough is the owner's to say`,
    ),
  ];
}

function assist(goals: readonly LadderGoal[]): Stage {
  const pinned = goals.filter(
    ({ policy, contract_revision: today }) => policy.mode === 'assist' && policy.contract_revision === today,
  );
  const obligations = goals.flatMap(({ readiness }) => readiness?.obligations ?? []);
  const count = (label: 'right' | 'wrong'): number =>
    obligations.filter((each) => each.label === label).length;
  const acknowledged = obligations.filter(({ ended }) => ended === 'acknowledged').length;
  return {
    stage: 2,
    allows: 'pinned assist on one goal',
    evidence: [
      toJudge(
        'the cost of false flags in stage 1 is acceptable',
        "no number decides this; it is the owner's",
      ),
      evidence(
        'one goal in assist, pinned to its basis',
        pinned.length === 1,
        pinned.map(({ goal_id }) => goal_id).join(', ') || 'none',
      ),
      toJudge(
        'the acknowledgements, read one by one',
        `${obligations.length} obligation(s), ${acknowledged} acknowledged, ${count('right')} labelled right, ${count('wrong')} wrong`,
      ),
    ],
    decides: 'the goal owner and a maintainer',
  };
}

const beyond: Stage = {
  stage: 3,
  allows: 'wider defaults, escalation, pausing: not offered',
  evidence: [
    toJudge(
      'an intervention experiment, authorised on its own',
      'it would have to show less wasted work than without',
    ),
  ],
  decides: 'the project',
};

/** What stands under the ladder. */
export const ladderClosing =
  'Stopping at any stage, or keeping the process you had, is a valid result. Moving up is decided by people, never by drift.';
