import type { Discharge } from '../contract/obligation.ts';
import type { JsonObject } from '../json/json-object.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { dischargeHistory } from '../sentinel/discharge-history.ts';
import { normalizeObservation } from '../sentinel/normalize-observation.ts';
import { namesOpenObligation, type Obligation, openObligation } from '../sentinel/obligation.ts';
import { qualifyDischarge } from '../sentinel/qualify-discharge.ts';
import { agentOf, claimOf, isNeutral } from '../sentinel/run-row.ts';
import { appendRun } from '../spool/run-index.ts';
import { exitCommand } from './exit-command.ts';
import type { GoalReview } from './goal-review.ts';
import { acknowledgementOf } from './writeback-record.ts';

/** What an agent, or somebody on its behalf, offers against its obligation. */
export interface Offer {
  readonly agent: string;
  readonly observation: JsonObject | null;
  readonly vision: JsonObject | null;
  /** The obligation that is meant; left out: the open one. */
  readonly obligationId: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

export type Acknowledged =
  | {
      readonly status: 'acknowledged';
      readonly obligation: Obligation;
      readonly discharge: Discharge;
      readonly generatedAt: string;
    }
  /** LoopX keeps its own index: it takes the claim through this command. */
  | {
      readonly status: 'qualified';
      readonly obligation: Obligation;
      readonly discharge: Discharge;
      readonly command: string;
    }
  | { readonly status: 'refused'; readonly obligation: Obligation; readonly discharge: Discharge }
  | { readonly status: 'no_open_obligation' }
  /** Another obligation is open than the one that was named. */
  | { readonly status: 'other_obligation'; readonly obligation: Obligation };

/**
 * Holds an offer against the agent's open obligation and, on a generic host, records what was accepted as an
 * acknowledgement row of that agent (design §5 ack). Drift never acknowledges on its own: it is always somebody's offer.
 */
export function acknowledge(loaded: LoadedObserver, review: GoalReview, offer: Offer): Acknowledged {
  const { receipts, policy } = review;
  const { agent, obligationId } = offer;
  const standing = { rows: review.rows, receipts, agent, policy };
  const open = openObligation(standing);
  if (open === null) return { status: 'no_open_obligation' };
  if (obligationId !== null && !namesOpenObligation(obligationId, standing))
    return { status: 'other_obligation', obligation: open };
  const rows = withoutOwnClaim(review.rows, offer);
  const obligation = openObligation({ ...standing, rows }) ?? open;
  const discharge = qualifyDischarge({
    obligation,
    observation: offer.observation,
    vision: offer.vision,
    ...dischargeHistory(rows, agent),
  });
  if (!discharge.accepted) return { status: 'refused', obligation: open, discharge };
  if (review.host === 'loopx')
    return {
      status: 'qualified',
      obligation: open,
      discharge,
      command: commandOf(loaded, review, { offer, open }),
    };
  return {
    status: 'acknowledged',
    obligation: open,
    discharge,
    generatedAt: record(loaded, offer, { open, discharge }),
  };
}

/** The claim that a refresh recorded a moment ago is no earlier claim when it is offered now. */
function withoutOwnClaim(rows: readonly JsonObject[], { agent, observation }: Offer): readonly JsonObject[] {
  const newest = rows.findIndex((row) => agentOf(row) === agent && !isNeutral(row));
  const row = rows[newest];
  const offered = fingerprintOf(observation);
  if (!row || offered === null || claimOf(row)?.fingerprint !== offered) return rows;
  const { progress_observation: _, ...rest } = row;
  return rows.with(newest, rest);
}

function fingerprintOf(observation: JsonObject | null): string | null {
  const read = normalizeObservation({ observation });
  return read.ok ? read.observation.fingerprint : null;
}

function record(
  { goal, observer }: LoadedObserver,
  { agent, observation, vision, now }: Offer,
  { open, discharge }: { readonly open: Obligation; readonly discharge: Discharge },
): string {
  const read = normalizeObservation({ observation });
  const claim = read.ok ? read.observation : null;
  const fields = {
    goal_id: observer.goal_id,
    classification: 'drift_ack',
    agent_id: agent,
    agent_lane: agent,
    ...(claim ? { progress_observation: claim } : {}),
    ...(vision ? { agent_vision: vision } : {}),
    autonomous_replan_ack: acknowledgementOf(open, discharge, claim?.fingerprint ?? null),
  };
  return appendRun(goal, fields, now).generatedAt;
}

function commandOf(
  { observer, state }: LoadedObserver,
  review: GoalReview,
  { offer, open }: { readonly offer: Offer; readonly open: Obligation },
): string {
  const { observation, vision, agent } = offer;
  return exitCommand(
    { ...(observation ? { observation } : {}), ...(vision ? { vision } : {}) },
    {
      goalId: observer.goal_id,
      agentId: agent,
      obligationId: open.obligation_id,
      state,
      runtimeRoot: observer.runtime_root,
      review,
    },
  );
}
