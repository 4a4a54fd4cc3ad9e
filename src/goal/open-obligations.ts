import type { LoadedObserver } from '../observer/load-observer.ts';
import { type DischargeExit, dischargeExits } from '../sentinel/discharge-exits.ts';
import { dischargeHistory } from '../sentinel/discharge-history.ts';
import { acknowledgesFor } from '../sentinel/lane.ts';
import { type Obligation, openObligation } from '../sentinel/obligation.ts';
import { type Requirements, requirementsOf } from '../sentinel/requirements.ts';
import { agentOf } from '../sentinel/run-row.ts';
import { textOf } from '../sentinel/strip-text.ts';
import { exitCommand } from './exit-command.ts';
import type { GoalReview } from './goal-review.ts';
import { type Refusal, refusalOf } from './writeback-record.ts';

/** An open obligation with everything that its agent needs to leave it. */
export interface OpenObligation extends Obligation {
  readonly goal_id: string;
  readonly requirements: Requirements;
  /** Only those that would be accepted now, each as a command that can be pasted. */
  readonly exits: readonly (DischargeExit & { readonly command: string })[];
  /** What the newest claim made against it was refused for. */
  readonly last_refusal?: Refusal;
}

/** Every agent's open obligation, the agent of the newest row first. */
export function openObligations(loaded: LoadedObserver, review: GoalReview): OpenObligation[] {
  const agents = [...new Set(review.rows.map(agentOf))].filter((agent) => agent !== '');
  return agents.flatMap((agent) => {
    const { rows, receipts, policy } = review;
    const obligation = openObligation({ rows, receipts, agent, policy });
    return obligation ? [withExits(obligation, loaded, review)] : [];
  });
}

function withExits(obligation: Obligation, loaded: LoadedObserver, review: GoalReview): OpenObligation {
  const { observer, state } = loaded;
  const agentId = obligation.agent_id;
  const context = {
    goalId: observer.goal_id,
    agentId,
    obligationId: obligation.obligation_id,
    state,
    runtimeRoot: observer.runtime_root,
    review,
  };
  const exits = dischargeExits(obligation, dischargeHistory(review.rows, agentId));
  const refusal = newestRefusal(review, agentId);
  return {
    ...obligation,
    goal_id: observer.goal_id,
    requirements: requirementsOf(obligation, review.host),
    exits: exits.map((exit) => ({ ...exit, command: exitCommand(exit, context) })),
    ...(refusal ? { last_refusal: refusal } : {}),
  };
}

/** Of the streak that is open now: nothing from before the agent's newest acknowledgement. */
function newestRefusal({ rows }: GoalReview, agent: string): Refusal | null {
  for (const row of rows) {
    if (acknowledgesFor(row, agent)) return null;
    const refusal = agentOf(row) === agent ? refusalOf(row) : null;
    if (refusal) return { ...refusal, generated_at: textOf(row['generated_at']) };
  }
  return null;
}
