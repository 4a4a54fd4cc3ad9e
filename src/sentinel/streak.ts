import type { JsonObject } from '../json/json-object.ts';
import type { RowVerdict, UnevaluatedReason } from './judge-row.ts';
import { agentOf } from './run-row.ts';
import { turnIdentity } from './turn-identity.ts';

/** What a walk down a lane found, lists newest first. */
export interface Streak {
  readonly drift: readonly { readonly row: JsonObject; readonly receipt: JsonObject }[];
  /** The most adjacent drift verdicts. */
  readonly longest: number;
  readonly unevaluated: readonly UnevaluatedReason[];
  /** How many of them are newer than the newest drift. */
  readonly newerUnevaluated: number;
  /** Rows of the agent whose claims belong to the streak. */
  readonly claimants: readonly JsonObject[];
}

/**
 * Walks a lane from its newest row (contract §6). A retry of a turn is no transition, and evidence that was counted
 * is not counted again, but the claims of both belong to the streak. A verdict of "not drift" ends the walk. An
 * unevaluated row interrupts forming, and ends the walk once the streak has formed: what lies behind it is older
 * history.
 */
export function walkStreak(
  lane: readonly JsonObject[],
  judge: (row: JsonObject) => RowVerdict,
  { agent, threshold }: { readonly agent: string; readonly threshold: number },
): Streak {
  const drift: { row: JsonObject; receipt: JsonObject }[] = [];
  const unevaluated: UnevaluatedReason[] = [];
  const claimants: JsonObject[] = [];
  const evidence = new Set<unknown>();
  let [longest, current, newerUnevaluated] = [0, 0, 0];
  for (const { row, judged } of transitions(lane, judge)) {
    const gap = judged?.verdict === 'unevaluated';
    if (judged?.verdict === 'on_goal' || (gap && longest >= threshold)) break;
    if (agentOf(row) === agent) claimants.push(row);
    if (gap) {
      current = 0;
      unevaluated.push(judged.reason);
      if (drift.length === 0) newerUnevaluated += 1;
    } else if (judged && !evidence.has(judged.receipt['evidence_id'])) {
      evidence.add(judged.receipt['evidence_id']);
      current += 1;
      longest = Math.max(longest, current);
      drift.push({ row, receipt: judged.receipt });
    }
  }
  return { drift, longest, unevaluated, newerUnevaluated, claimants };
}

/** Every row with its verdict; null for a row whose turn came before. */
function* transitions(
  lane: readonly JsonObject[],
  judge: (row: JsonObject) => RowVerdict,
): Generator<{ readonly row: JsonObject; readonly judged: RowVerdict | null }> {
  const turns = new Set<string>();
  for (const row of lane) {
    const turn = turnIdentity(row);
    const retry = turn.kind === 'turn' && turns.has(turn.id);
    if (turn.kind === 'turn') turns.add(turn.id);
    yield { row, judged: retry ? null : judge(row) };
  }
}
