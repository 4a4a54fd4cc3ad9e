import type { ProgressReviewPolicy } from '../contract/policy.ts';
import type { JsonObject } from '../json/json-object.ts';
import { rowJudge, type UnevaluatedReason, unevaluatedReasons } from './judge-row.ts';
import { indexReceipts } from './receipt-index.ts';
import { agentOf, isNeutral } from './run-row.ts';

/**
 * Counts the rows of the window that no verdict counts for, by the seed's ten reasons; each row in the lane of its own
 * agent. Without a pin every completed receipt belongs to another revision than the one that nobody named.
 */
export function countUnevaluated(
  rows: readonly JsonObject[],
  receipts: readonly object[],
  { signal, contract_revision }: ProgressReviewPolicy,
): Record<UnevaluatedReason, number> {
  const counts = Object.fromEntries(unevaluatedReasons.map((reason) => [reason, 0])) as Record<
    UnevaluatedReason,
    number
  >;
  const index = indexReceipts(receipts);
  const working = rows.filter((row) => !isNeutral(row));
  for (const agent of new Set(working.map(agentOf))) {
    const lane = working.filter((row) => agentOf(row) === '' || agentOf(row) === agent);
    const judge = rowJudge({ rows: lane, index, signal, pin: contract_revision ?? '' });
    for (const row of lane) {
      if (agentOf(row) !== agent) continue;
      const judged = judge(row);
      if (judged.verdict === 'unevaluated') counts[judged.reason] += 1;
    }
  }
  return counts;
}
