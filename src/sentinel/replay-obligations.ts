import type { ReplanOutcome } from '../contract/obligation.ts';
import type { ProgressObservation } from '../contract/observation.ts';
import type { PolicySignal, ProgressReviewPolicy } from '../contract/policy.ts';
import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { type RowVerdict, rowJudge } from './judge-row.ts';
import { acknowledgesFor } from './lane.ts';
import { frontierOf, obligationId } from './obligation-id.ts';
import { indexReceipts, type ReceiptIndex } from './receipt-index.ts';
import { agentOf, claimOf, isNeutral } from './run-row.ts';
import { walkStreak } from './streak.ts';
import { textOf } from './strip-text.ts';
import { typedRepeatTrigger } from './typed-repeat-trigger.ts';

/** One debt of one agent from its first turn to its last, whatever ids it had on the way. */
export interface ObligationEpisode {
  /** Every id that was printed for it, the first one first. */
  readonly obligation_ids: readonly string[];
  readonly agent_id: string;
  readonly kind: 'external_progress_review_drift' | 'typed_progress_repeat';
  /** `generated_at` and turn of the row that raised it. */
  readonly opened_at: string;
  readonly opened_turn: string | null;
  /** Evidence of the streak as it was raised, newest first; empty for the fuse. */
  readonly evidence_ids: readonly string[];
  /** Null while it is open. `not_due`: a newer verdict was not drift, or the claims no longer repeat. */
  readonly closed_by: 'acknowledged' | 'not_due' | null;
  readonly closed_at: string | null;
  /** What the acknowledgement changed: `new_hypothesis`, `fresh_vision_path_outcome`, … */
  readonly outcomes: readonly string[];
  /** Of an acknowledgement by a reviewed path: `continue`, `no_change` or `replan`. */
  readonly path_outcome: string | null;
  /** Rows of the lane after the one that raised it, the one that ended it included. */
  readonly turns_open: number;
}

export interface ReplayInput {
  /** Rows of the run history, newest first. */
  readonly rows: readonly JsonObject[];
  /** As `normalizeReceipt` gives them. */
  readonly receipts: readonly object[];
  /** Its mode is taken for assist. */
  readonly policy: Pick<ProgressReviewPolicy, 'signal' | 'drift_threshold' | 'contract_revision'>;
}

/**
 * The obligations that assist raises over a run history, oldest first: the rule of `openObligation`, asked again at
 * every row with the receipts and the policy of today. Under shadow they are those that would have been raised.
 */
export function replayObligations({ rows, receipts, policy }: ReplayInput): ObligationEpisode[] {
  const index = indexReceipts(receipts);
  const agents = [...new Set(rows.map(agentOf))].filter((agent) => agent !== '');
  return agents
    .flatMap((agent) => new AgentReplay(agent, index, policy).play(rows))
    .sort((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at));
}

type Draft = { -readonly [Key in keyof ObligationEpisode]: ObligationEpisode[Key] } & {
  obligation_ids: string[];
};

/** What is owed at one row. */
interface Due {
  readonly kind: ObligationEpisode['kind'];
  readonly frontier: string | null;
  readonly fingerprint: string;
  readonly evidence: readonly string[];
}

/** One lane, from its oldest row to its newest. Every row is judged and every claim read once. */
class AgentReplay {
  private readonly agent: string;
  private readonly index: ReceiptIndex;
  private readonly signal: PolicySignal;
  private readonly threshold: number;
  private readonly pin: string;
  private readonly claims = new Map<JsonObject, ProgressObservation | null>();
  private readonly episodes: Draft[] = [];
  private open: Draft | null = null;
  private rearmedAfter: unknown = null;

  constructor(agent: string, index: ReceiptIndex, policy: ReplayInput['policy']) {
    this.agent = agent;
    this.index = index;
    this.signal = policy.signal;
    this.threshold = policy.drift_threshold;
    this.pin = policy.contract_revision ?? '';
  }

  play(rows: readonly JsonObject[]): ObligationEpisode[] {
    const own = rows.filter((row) => agentOf(row) === '' || agentOf(row) === this.agent);
    let lane: JsonObject[] = [];
    for (const row of own.toReversed()) {
      if (acknowledgesFor(row, this.agent)) {
        this.playLane(lane.reverse());
        this.acknowledge(row);
        lane = [];
      } else if (!isNeutral(row)) lane.push(row);
    }
    this.playLane(lane.reverse());
    return this.episodes;
  }

  private playLane(lane: readonly JsonObject[]): void {
    const judge = rememberVerdicts(
      rowJudge({ rows: lane, index: this.index, signal: this.signal, pin: this.pin }),
    );
    let drift = 0;
    for (let at = lane.length - 1; at >= 0; at -= 1) {
      const row = lane[at];
      if (!row) continue;
      const { verdict } = judge(row);
      drift = verdict === 'on_goal' ? 0 : drift + Number(verdict === 'drift');
      const older = lane.slice(at);
      // No streak can have formed from less drift than it takes, so most rows need no walk.
      const review = drift < this.threshold ? null : this.reviewAt(older, judge);
      this.step(row, this.repeatAt(older) ?? review);
    }
  }

  private step(row: JsonObject, due: Due | null): void {
    if (this.open) this.open.turns_open += 1;
    if (this.open && due) this.addId(this.open, due);
    else if (this.open) this.close(row, 'not_due');
    else if (due) this.begin(row, due);
  }

  /** The fuse is only asked where the newest claim is one that could fire it. */
  private repeatAt(lane: readonly JsonObject[]): Due | null {
    const newest = this.newestClaim(lane)?.result_class;
    if (newest !== 'unchanged' && newest !== 'blocked') return null;
    const trigger = typedRepeatTrigger({ runs: lane, agent_id: this.agent });
    if (trigger === null) return null;
    return {
      kind: trigger.kind,
      frontier: frontierOf({ ...trigger }),
      fingerprint: trigger.progress_fingerprint,
      evidence: [],
    };
  }

  private reviewAt(lane: readonly JsonObject[], judge: (row: JsonObject) => RowVerdict): Due | null {
    if (this.pin === '') return null;
    const { drift, longest, claimants } = walkStreak(lane, judge, {
      agent: this.agent,
      threshold: this.threshold,
    });
    const claim = longest < this.threshold ? null : this.newestClaim(claimants);
    if (claim === null) return null;
    const evidence = drift.map(({ receipt }) => String(receipt['evidence_id']));
    return {
      kind: 'external_progress_review_drift',
      frontier: `progress_review:${evidence[0]}`,
      fingerprint: claim.fingerprint,
      evidence,
    };
  }

  private newestClaim(rows: readonly JsonObject[]): ProgressObservation | null {
    for (const row of rows) {
      const known = this.claims.get(row);
      const claim = known === undefined ? claimOf(row) : known;
      if (known === undefined) this.claims.set(row, claim);
      if (claim) return claim;
    }
    return null;
  }

  private idOf({ kind, frontier, fingerprint }: Due): string {
    const trigger = {
      kind,
      frontier_identity: kind === 'external_progress_review_drift' ? frontier : null,
      progress_fingerprint: fingerprint,
      agent_id: this.agent,
    };
    return obligationId({ trigger, rearmed_after_obligation_id: this.rearmedAfter }).obligation_id;
  }

  private begin(row: JsonObject, due: Due): void {
    this.open = {
      obligation_ids: [this.idOf(due)],
      agent_id: this.agent,
      kind: due.kind,
      opened_at: textOf(row['generated_at']),
      opened_turn: textOf(row['turn_instance_id']) || null,
      evidence_ids: due.evidence,
      closed_by: null,
      closed_at: null,
      outcomes: [],
      path_outcome: null,
      turns_open: 0,
    };
    this.episodes.push(this.open);
  }

  private addId(open: Draft, due: Due): void {
    const id = this.idOf(due);
    if (!open.obligation_ids.includes(id)) open.obligation_ids.push(id);
  }

  private acknowledge(row: JsonObject): void {
    const delta = asJsonObject(asJsonObject(row['autonomous_replan_ack'])['semantic_delta']);
    const outcomes = Array.isArray(delta['satisfying_outcomes'])
      ? delta['satisfying_outcomes'].map(String)
      : [];
    const path = asJsonObject(asJsonObject(row['agent_vision'])['path_delta']);
    this.rearmedAfter = delta['obligation_id'];
    if (!this.open) return;
    this.open.turns_open += 1;
    this.open.outcomes = outcomes;
    this.open.path_outcome = outcomes.includes(VISION) ? textOf(path['outcome']) || null : null;
    this.close(row, 'acknowledged');
  }

  private close(row: JsonObject, by: 'acknowledged' | 'not_due'): void {
    if (!this.open) return;
    this.open.closed_at = textOf(row['generated_at']);
    this.open.closed_by = by;
    this.open = null;
  }
}

const VISION: ReplanOutcome = 'fresh_vision_path_outcome';

function rememberVerdicts(judge: (row: JsonObject) => RowVerdict): (row: JsonObject) => RowVerdict {
  const known = new Map<JsonObject, RowVerdict>();
  return (row) => {
    const before = known.get(row);
    if (before) return before;
    const verdict = judge(row);
    known.set(row, verdict);
    return verdict;
  };
}
