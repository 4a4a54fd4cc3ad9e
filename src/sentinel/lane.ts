import type { JsonObject } from '../json/json-object.ts';
import { agentOf, isAcknowledgement, isNeutral } from './run-row.ts';
import { turnIdentity } from './turn-identity.ts';

/**
 * One agent's lane (contract §6): its own and the anonymous rows, newest first, down to its newest acknowledgement,
 * bookkeeping left out. Only a row that the agent owns can acknowledge, and not one whose turn is invalid; an
 * acknowledgement on a bookkeeping row counts.
 */
export function laneOf(rows: readonly JsonObject[], agent: string): JsonObject[] {
  const own = rows.filter((row) => agentOf(row) === '' || agentOf(row) === agent);
  const cut = own.findIndex((row) => acknowledgesFor(row, agent));
  return (cut < 0 ? own : own.slice(0, cut)).filter((row) => !isNeutral(row));
}

/** True when the row settles an obligation of this agent. */
export const acknowledgesFor = (row: JsonObject, agent: string): boolean =>
  agentOf(row) === agent && turnIdentity(row).kind !== 'invalid' && isAcknowledgement(row);
