import type { ProgressObservation } from '../contract/observation.ts';
import type { ProgressReviewPolicy } from '../contract/policy.ts';
import type { JsonObject } from '../json/json-object.ts';
import { dischargeHistory } from './discharge-history.ts';
import { frontierOf, obligationId, obligationSchemaVersion } from './obligation-id.ts';
import { type ReviewTrigger, reviewTrigger } from './review-trigger.ts';
import { type TypedRepeatTrigger, typedRepeatTrigger } from './typed-repeat-trigger.ts';

/** What one agent owes (contract §7). It orders nothing: the host decides what to do with it. */
export interface Obligation {
  readonly schema_version: typeof obligationSchemaVersion;
  readonly required: true;
  readonly stall_threshold: 2;
  readonly trigger_count: 1;
  readonly triggers: readonly [TypedRepeatTrigger | ReviewTrigger];
  readonly guidance_actions: readonly ['keep', 'split', 'add', 'retire', 'ask_decision'];
  readonly todo_actions: readonly TodoAction[];
  readonly stop_condition: string;
  readonly recommended_action: string;
  readonly agent_id: string;
  readonly frontier_identity: string | null;
  readonly progress_baseline: ProgressObservation;
  readonly progress_window?: readonly ProgressObservation[];
  readonly external_progress_review?: ExternalReview;
  readonly replan_novelty_policy: {
    readonly schema_version: 'replan_evidence_delivery_policy_v0';
    readonly evidence_source: 'agent_scoped_evidence_log';
    readonly delivery: 'host_projected';
    readonly writeback: 'typed_semantic_delta';
  };
  readonly rearmed_after_obligation_id?: string;
  readonly obligation_id: string;
}

interface TodoAction {
  readonly action: 'add';
  readonly role: 'agent';
  readonly priority: 'P1';
  readonly text: string;
}

type ExternalReview = Pick<
  ReviewTrigger,
  | 'schema_version'
  | 'signal'
  | 'run_count'
  | 'threshold'
  | 'evidence_ids'
  | 'contract_revision'
  | 'consecutive_drift'
  | 'unevaluated_transitions'
  | 'model_authority'
  | 'effect'
>;

export interface ObligationInput {
  /** Rows of the run history, newest first. */
  readonly rows: readonly JsonObject[];
  /** As `normalizeReceipt` gives them. */
  readonly receipts: readonly object[];
  readonly agent: string;
  readonly policy: ProgressReviewPolicy;
}

/**
 * The obligation of one agent under an assist policy, or null. The typed repeat fuse comes first; a review speaks only
 * where the fuse is silent (seed; contract §6). In `off` and `shadow`, and for nobody in particular, there is none.
 */
export const openObligation = (input: ObligationInput): Obligation | null => candidates(input)[0] ?? null;

function candidates({ rows, receipts, agent, policy }: ObligationInput): Obligation[] {
  if (policy.mode !== 'assist' || agent === '') return [];
  const repeat = typedRepeatTrigger({ runs: rows, agent_id: agent });
  const review = reviewTrigger({ runs: rows, receipts, agent_id: agent, policy }).trigger;
  const rearmed = dischargeHistory(rows, agent).rearmed_after_obligation_id;
  return [repeat, review]
    .filter((trigger) => trigger !== null)
    .map((trigger) => raise(trigger, agent, rearmed));
}

function raise(
  trigger: TypedRepeatTrigger | ReviewTrigger,
  agent: string,
  rearmed: string | null,
): Obligation {
  const review = trigger.kind === 'external_progress_review_drift' ? trigger : null;
  return {
    schema_version: obligationSchemaVersion,
    required: true,
    stall_threshold: 2,
    trigger_count: 1,
    triggers: [trigger],
    guidance_actions: ['keep', 'split', 'add', 'retire', 'ask_decision'],
    todo_actions: [{ action: 'add', role: 'agent', priority: 'P1', text: review ? reviewTodo : repeatTodo }],
    stop_condition:
      'stop where the replan would need private material, credentials, destructive git, production actions or a decision of the owner',
    recommended_action: review ? reviewAction(review) : repeatAction(trigger.run_count),
    agent_id: agent,
    frontier_identity: frontierOf({ ...trigger }),
    progress_baseline: trigger.progress_baseline,
    ...(review
      ? { progress_window: review.progress_window, external_progress_review: reviewOf(review) }
      : {}),
    replan_novelty_policy: {
      schema_version: 'replan_evidence_delivery_policy_v0',
      evidence_source: 'agent_scoped_evidence_log',
      delivery: 'host_projected',
      writeback: 'typed_semantic_delta',
    },
    ...(rearmed ? { rearmed_after_obligation_id: rearmed } : {}),
    ...obligationId({ trigger, agent_id: agent, rearmed_after_obligation_id: rearmed }),
  };
}

const reviewTodo =
  'choose a next slice that is tied to one named acceptance criterion, with the check that will show whether it is met';
const repeatTodo = 'write down what repeats, the next slice, the command that validates it and when to stop';
const tail =
  'Cite evidence that no claim of the window has cited, or review the work and record the path with its evidence; repeating or renaming a claim closes nothing.';

const reviewAction = ({ run_count: runs }: ReviewTrigger): string =>
  `replan before the next turn: ${runs} reviewed transitions showed no progress towards the goal. Tie the next slice to a named acceptance criterion. ${tail}`;
const repeatAction = (runs: number): string =>
  `replan before the next turn: the same claim was made ${runs} turns running. ${tail}`;

const reviewOf = (trigger: ReviewTrigger): ExternalReview => ({
  schema_version: trigger.schema_version,
  signal: trigger.signal,
  run_count: trigger.run_count,
  threshold: trigger.threshold,
  evidence_ids: trigger.evidence_ids,
  contract_revision: trigger.contract_revision,
  consecutive_drift: trigger.consecutive_drift,
  unevaluated_transitions: trigger.unevaluated_transitions,
  model_authority: trigger.model_authority,
  effect: trigger.effect,
});

/**
 * True when `id` names the open obligation or one that was printed earlier for the same streak (design §5). A streak's
 * id moves with every newer drift and every newer claim, so an agent that read it a turn ago still means the same debt.
 */
export const namesOpenObligation = (id: string, input: ObligationInput): boolean =>
  candidates(input).some((obligation) => id === obligation.obligation_id || wasPrintedFor(id, obligation));

function wasPrintedFor(id: string, obligation: Obligation): boolean {
  const { agent_id, rearmed_after_obligation_id, triggers } = obligation;
  const [trigger] = triggers;
  if (trigger.kind !== 'external_progress_review_drift') return false;
  return trigger.evidence_ids.some((evidence) =>
    trigger.progress_window.some(({ fingerprint }) => {
      const frontier_identity = `progress_review:${evidence}`;
      const earlier = { ...trigger, frontier_identity, progress_fingerprint: fingerprint };
      return id === obligationId({ trigger: earlier, agent_id, rearmed_after_obligation_id }).obligation_id;
    }),
  );
}
