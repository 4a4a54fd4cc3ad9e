import type { ProgressObservation } from '../contract/observation.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { normalizeObservation } from './normalize-observation.ts';
import { textOf } from './strip-text.ts';

/** Bookkeeping rows: neither a gap nor progress (contract §2). A monitor poll is not one of them. */
const neutralClassifications = new Set([
  'quota_slot_spent',
  'quota_slot_voided',
  'delivery_completion_spend_accounted_v0',
]);

export const isNeutral = (row: JsonObject): boolean =>
  neutralClassifications.has(textOf(row['classification']));

/** The empty text for an anonymous row. */
export const agentOf = (row: JsonObject): string => textOf(row['agent_id']);

/** True when the row records an accepted replan; its classification and flags say nothing (contract §2). */
export function isAcknowledgement(row: JsonObject): boolean {
  const ack = row['autonomous_replan_ack'];
  if (!isJsonObject(ack) || ack['recorded'] !== true) return false;
  const delta = ack['semantic_delta'];
  return isJsonObject(delta) && delta['accepted'] === true;
}

/** The row's typed claim; one that cannot be read counts as none. */
export function claimOf(row: JsonObject): ProgressObservation | null {
  const read = normalizeObservation({ observation: row['progress_observation'] });
  return read.ok ? read.observation : null;
}

/** The rows among whatever was handed in. */
export const rowsOf = (runs: unknown): JsonObject[] => (Array.isArray(runs) ? runs.filter(isJsonObject) : []);

/** The only named agent of the rows, or the empty text when there is none or more than one. */
export function soleAgentOf(rows: readonly JsonObject[]): string {
  const agents = new Set(rows.map(agentOf));
  agents.delete('');
  const [agent] = agents;
  return agents.size === 1 && agent !== undefined ? agent : '';
}
