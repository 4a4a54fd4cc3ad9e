import type { ProgressObservation } from '../contract/observation.ts';
import { type PolicySignal, policySignals } from '../contract/policy.ts';
import type { Judgments } from '../contract/receipt.ts';
import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { rowJudge, type UnevaluatedReason } from './judge-row.ts';
import { laneOf } from './lane.ts';
import { indexReceipts } from './receipt-index.ts';
import { claimOf, rowsOf, soleAgentOf } from './run-row.ts';
import { type Streak, walkStreak } from './streak.ts';
import { textOf } from './strip-text.ts';

/** What raises an external review obligation (contract §7). Lists are newest first. */
export interface ReviewTrigger {
  readonly kind: 'external_progress_review_drift';
  readonly schema_version: 'external_progress_review_trigger_v0';
  readonly section: 'run_history';
  readonly signal: PolicySignal;
  /** All drift verdicts of the streak, those above a gap included. */
  readonly run_count: number;
  readonly threshold: number;
  /** The longest run of adjacent drift verdicts. */
  readonly consecutive_drift: number;
  readonly unevaluated_transitions: {
    readonly total: number;
    readonly newer_than_latest_drift: number;
    readonly by_reason: Readonly<Partial<Record<UnevaluatedReason, number>>>;
  };
  readonly agent_id: string;
  readonly contract_revision: string;
  readonly evidence_ids: readonly string[];
  readonly receipt_ids: readonly string[];
  readonly latest_generated_at: string;
  readonly oldest_counted_generated_at: string;
  readonly latest_judgments: Judgments;
  /** The newest readable claim of the agent in the streak, evaluated or not. */
  readonly progress_baseline: ProgressObservation;
  readonly progress_fingerprint: string;
  readonly baseline_generated_at: string;
  /** Every distinct claim of the agent in the streak, the baseline first. */
  readonly progress_window: readonly ProgressObservation[];
  readonly frontier_identity: string;
  readonly model_authority: 'none';
  readonly effect: 'required_obligation_under_goal_policy';
}

export interface ReviewTriggerInput {
  /** Rows of the run history, newest first. */
  readonly runs: unknown;
  /** Receipts as `normalizeReceipt` gives them, in any order. */
  readonly receipts: unknown;
  /** Null or empty: the only agent that the rows name; none when they name several. */
  readonly agent_id?: unknown;
  /** `mode` may be left out; a mode other than `assist` never triggers. */
  readonly policy: unknown;
}

interface Terms {
  readonly agent: string;
  readonly signal: PolicySignal;
  readonly threshold: number;
  readonly pin: string;
}

/**
 * Joins rows and receipts of one agent's lane and says whether a streak of drift has formed (contract §6, seed).
 *
 * Forming is conservative: `drift_threshold` adjacent drift verdicts, nothing unevaluated between them. Once formed, a
 * streak outlives newer transitions that nobody could evaluate; only an acknowledged replan or a newer verdict of "not
 * drift" ends it. Without a readable claim in the streak there is nothing to bind, and so no trigger.
 */
export function reviewTrigger(input: ReviewTriggerInput): { readonly trigger: ReviewTrigger | null } {
  const { runs, receipts, agent_id, policy } = asJsonObject(input);
  const rows = rowsOf(runs);
  const terms = termsOf(asJsonObject(policy), textOf(agent_id) || soleAgentOf(rows));
  if (terms === null) return { trigger: null };
  const lane = laneOf(rows, terms.agent);
  const judge = rowJudge({
    rows: lane,
    index: indexReceipts(receipts),
    signal: terms.signal,
    pin: terms.pin,
  });
  return { trigger: triggerOf(walkStreak(lane, judge, terms), terms) };
}

function termsOf(policy: JsonObject, agent: string): Terms | null {
  const { mode, signal, drift_threshold: threshold = 2, contract_revision: revision } = policy;
  const pin = textOf(revision);
  if (mode !== undefined && mode !== 'assist') return null;
  if (!policySignals.includes(signal as PolicySignal) || !Number.isInteger(threshold)) return null;
  if (pin === '' || agent === '') return null;
  return { agent, signal: signal as PolicySignal, threshold: Math.max(2, threshold as number), pin };
}

function triggerOf(streak: Streak, terms: Terms): ReviewTrigger | null {
  const [latest] = streak.drift;
  const oldest = streak.drift.at(-1);
  const claims = claimsOf(streak.claimants);
  const [baseline] = claims;
  if (streak.longest < terms.threshold || !latest || !oldest || !baseline) return null;
  return {
    kind: 'external_progress_review_drift',
    schema_version: 'external_progress_review_trigger_v0',
    section: 'run_history',
    signal: terms.signal,
    run_count: streak.drift.length,
    threshold: terms.threshold,
    consecutive_drift: streak.longest,
    unevaluated_transitions: {
      total: streak.unevaluated.length,
      newer_than_latest_drift: streak.newerUnevaluated,
      by_reason: countsOf(streak.unevaluated),
    },
    agent_id: terms.agent,
    contract_revision: terms.pin,
    evidence_ids: streak.drift.map(({ receipt }) => String(receipt['evidence_id'])),
    receipt_ids: streak.drift.map(({ receipt }) => String(receipt['receipt_id'] ?? receipt['event_id'])),
    latest_generated_at: textOf(latest.row['generated_at']),
    oldest_counted_generated_at: textOf(oldest.row['generated_at']),
    latest_judgments: latest.receipt['judgments'] as Judgments,
    progress_baseline: baseline.claim,
    progress_fingerprint: baseline.claim.fingerprint,
    baseline_generated_at: textOf(baseline.row['generated_at']),
    progress_window: claims.map(({ claim }) => claim),
    frontier_identity: `progress_review:${latest.receipt['evidence_id']}`,
    model_authority: 'none',
    effect: 'required_obligation_under_goal_policy',
  };
}

/** The distinct claims with the newest row of each. */
function claimsOf(
  rows: readonly JsonObject[],
): { readonly row: JsonObject; readonly claim: ProgressObservation }[] {
  const byFingerprint = new Map<string, { row: JsonObject; claim: ProgressObservation }>();
  for (const row of rows) {
    const claim = claimOf(row);
    if (claim && !byFingerprint.has(claim.fingerprint)) byFingerprint.set(claim.fingerprint, { row, claim });
  }
  return [...byFingerprint.values()];
}

function countsOf(reasons: readonly UnevaluatedReason[]): Partial<Record<UnevaluatedReason, number>> {
  const counts: Partial<Record<UnevaluatedReason, number>> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
