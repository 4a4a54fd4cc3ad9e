import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { Discharge } from '../contract/obligation.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { dischargeHistory } from '../sentinel/discharge-history.ts';
import { type Obligation, openObligation } from '../sentinel/obligation.ts';
import { qualifyDischarge } from '../sentinel/qualify-discharge.ts';
import { agentOf, claimOf, isAcknowledgement } from '../sentinel/run-row.ts';
import { replaceFile } from '../spool/durable-file.ts';
import { appendIndexRow } from '../spool/run-index.ts';
import { nodeIo } from '../spool/spool-io.ts';
import {
  type GoalPolicy,
  type GoalReview,
  readGoalPolicy,
  readGoalReview,
  type Where,
} from './goal-review.ts';
import { rowKey } from './run-history.ts';
import { acknowledgementOf, refusalOf, refusalRecord, withoutRefusedClaim } from './writeback-record.ts';

const MAX_NEW_BYTES = 33_554_432;

/** What became of a claim that was recorded while an obligation was open. */
export interface JudgedClaim {
  readonly agent_id: string;
  readonly obligation_id: string;
  readonly generated_at: string;
  readonly discharge: Discharge;
}

/**
 * Judges the claims and visions that refresh recorded since the last look (design §5 refresh). It runs before a drain
 * publishes new verdicts, so that each claim meets the obligation that stood when it was made. An accepted one turns
 * its own row into an acknowledgement of its agent; a refused one stays an ordinary claim with its reason beside it.
 * Only rows that drift wrote are ever touched: an index of LoopX's is never written.
 */
export function judgeRecordedClaims(loaded: LoadedObserver, where: Where): JudgedClaim[] {
  const { layout, goal } = loaded;
  const size = statSync(goal.index, { throwIfNoEntry: false })?.size ?? 0;
  const from = readCursor(layout.claimCursor);
  if (size === from) return [];
  const policy = readGoalPolicy(loaded, where);
  const judged = size > from && policy.policy.mode === 'assist' ? judgeSince(loaded, policy, from) : [];
  replaceFile(nodeIo, layout.claimCursor, Buffer.from(`${size}\n`), { staging: layout.staging });
  return judged;
}

function readCursor(file: string): number {
  try {
    const bytes = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : 0;
  } catch {
    return 0;
  }
}

function judgeSince(loaded: LoadedObserver, policy: GoalPolicy, from: number): JudgedClaim[] {
  const recorded = new Set(rowsSince(loaded.goal.index, from).filter(carriesWriteback).map(rowKey));
  const review = recorded.size > 0 ? readGoalReview(loaded, policy) : null;
  if (review === null) return [];
  const rows = [...review.rows];
  const judged: JudgedClaim[] = [];
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at];
    if (!row || !recorded.has(rowKey(row)) || isAcknowledgement(row) || refusalOf(row)) continue;
    const verdict = judgeRow(row, rows.slice(at + 1), review);
    if (verdict === null) continue;
    appendIndexRow(loaded.goal.index, { ...identityOf(row), ...verdict.record });
    rows[at] = withoutRefusedClaim({ ...row, ...verdict.record });
    judged.push(verdict.claim);
  }
  return judged;
}

interface Verdict {
  readonly record: object;
  readonly claim: JudgedClaim;
}

/** Null where no obligation of the row's agent was open. */
function judgeRow(
  row: JsonObject,
  older: readonly JsonObject[],
  { receipts, policy }: GoalReview,
): Verdict | null {
  const agent = agentOf(row);
  const obligation = openObligation({ rows: older, receipts, agent, policy });
  if (obligation === null) return null;
  const discharge = qualifyDischarge({
    obligation,
    observation: row['progress_observation'],
    vision: row['agent_vision'],
    ...dischargeHistory(older, agent),
  });
  const claim = {
    agent_id: agent,
    obligation_id: obligation.obligation_id,
    generated_at: String(row['generated_at'] ?? ''),
    discharge,
  };
  return { record: recordOf(obligation, discharge, row), claim };
}

function recordOf(obligation: Obligation, discharge: Discharge, row: JsonObject): object {
  if (!discharge.accepted) return refusalRecord(obligation, discharge);
  const fingerprint = claimOf(row)?.fingerprint ?? null;
  return { autonomous_replan_ack: acknowledgementOf(obligation, discharge, fingerprint) };
}

/** What makes a later line of the index merge into the row (contract §2). */
const identityOf = ({ generated_at, json_path }: JsonObject): object => ({ generated_at, json_path });

/** Drift's own row of a named agent, with something to judge. */
const carriesWriteback = (row: JsonObject): boolean =>
  row['classification'] === 'drift_refresh' &&
  row['run_id'] !== undefined &&
  agentOf(row) !== '' &&
  (row['progress_observation'] !== undefined || row['agent_vision'] !== undefined);

function rowsSince(index: string, from: number): JsonObject[] {
  const fd = openSync(index, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const length = Math.min(fstatSync(fd).size - from, MAX_NEW_BYTES);
    const bytes = Buffer.alloc(Math.max(0, length));
    const text = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from)).toString('utf8');
    return text.split('\n').flatMap((line) => {
      const parsed = parseStrictJson(line);
      return parsed.ok && isJsonObject(parsed.value) ? [parsed.value as JsonObject] : [];
    });
  } finally {
    closeSync(fd);
  }
}
