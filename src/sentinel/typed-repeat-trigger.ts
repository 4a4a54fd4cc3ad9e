import { observationSchemaVersion, type ProgressObservation } from '../contract/observation.ts';
import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { agentOf, claimOf, isAcknowledgement, isNeutral, rowsOf, soleAgentOf } from './run-row.ts';
import { textOf } from './strip-text.ts';
import { lenientTurnId } from './turn-identity.ts';

export interface TypedRepeatTrigger {
  readonly kind: 'typed_progress_repeat';
  readonly schema_version: typeof observationSchemaVersion;
  readonly agent_id: string | null;
  readonly run_count: number;
  readonly threshold: number;
  readonly progress_fingerprint: string;
  readonly progress_baseline: ProgressObservation;
  readonly latest_generated_at: string;
  readonly oldest_counted_generated_at: string;
}

export interface TypedRepeatInput {
  /** Rows of the run history, newest first. */
  readonly runs: unknown;
  /** Null or empty: all rows are one lane. */
  readonly agent_id?: unknown;
  /** Two or more; less counts as two. */
  readonly threshold?: unknown;
}

interface TypedRow {
  readonly row: JsonObject;
  readonly claim: ProgressObservation;
}

/**
 * The fuse that comes before any review (contract §11, §13.1): the same typed claim, turn after turn, that says
 * `unchanged` or `blocked`. A claim of advance never fires it, however often it is repeated.
 */
export function typedRepeatTrigger(input: TypedRepeatInput): TypedRepeatTrigger | null {
  const { runs, agent_id, threshold } = asJsonObject(input);
  const required = thresholdOf(threshold);
  if (required === null) return null;
  const agent = textOf(agent_id);
  const typed = adjacentTypedRows(laneOf(rowsOf(runs), agent), required);
  const [latest] = typed;
  const oldest = typed[required - 1];
  if (!latest || !oldest) return null;
  const { claim } = latest;
  if (typed.some((other) => other.claim.fingerprint !== claim.fingerprint)) return null;
  if (claim.result_class !== 'unchanged' && claim.result_class !== 'blocked') return null;
  return {
    kind: 'typed_progress_repeat',
    schema_version: observationSchemaVersion,
    agent_id: agent === '' ? null : agent,
    run_count: required,
    threshold: required,
    progress_fingerprint: claim.fingerprint,
    progress_baseline: claim,
    latest_generated_at: textOf(latest.row['generated_at']),
    oldest_counted_generated_at: textOf(oldest.row['generated_at']),
  };
}

function thresholdOf(value: unknown): number | null {
  if (value === undefined) return 2;
  return Number.isInteger(value) ? Math.max(2, value as number) : null;
}

/** This agent's and the anonymous rows, down to the newest acknowledgement, bookkeeping left out. */
function laneOf(rows: readonly JsonObject[], agent: string): JsonObject[] {
  const own = rows.filter((row) => agent === '' || agentOf(row) === '' || agentOf(row) === agent);
  const cut = own.findIndex(isAcknowledgement);
  return (cut < 0 ? own : own.slice(0, cut)).filter((row) => !isNeutral(row));
}

/** One typed row a turn, newest first; a row without a claim between two of them ends the scan. */
function adjacentTypedRows(lane: readonly JsonObject[], required: number): TypedRow[] {
  const typed: TypedRow[] = [];
  const turns = new Set<string>();
  const sole = soleAgentOf(lane);
  for (const row of lane) {
    const id = lenientTurnId(row);
    const turn = id === null ? null : `${agentOf(row) || sole} ${id}`;
    if (turn !== null && turns.has(turn)) continue;
    const claim = claimOf(row);
    if (claim === null && typed.length > 0) break;
    if (claim === null) continue;
    typed.push({ row, claim });
    if (turn !== null) turns.add(turn);
    if (typed.length === required) break;
  }
  return typed;
}
