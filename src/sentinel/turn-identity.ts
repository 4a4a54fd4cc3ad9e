import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { stripText } from './strip-text.ts';

/** Which turn a row or a receipt belongs to. Invalid is never the same as absent: it must not match by time. */
export type TurnIdentity =
  | { readonly kind: 'absent' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'turn'; readonly id: string };

const TURN_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** A valid turn id after stripping, or null (contract §2). */
export function turnIdOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const id = stripText(value);
  return TURN_ID.test(id) ? id : null;
}

const claimsOf = (row: JsonObject): unknown[] => {
  const settlement = row['settlement_identity'];
  const settled = isJsonObject(settlement) ? settlement['turn_instance_id'] : undefined;
  return [row['turn_instance_id'], settled].filter((claim) => claim !== undefined && claim !== null);
};

/**
 * The turn that the direct and the settlement claim agree on (contract §2). One malformed claim, the empty text
 * included, or two that differ make it invalid.
 */
export function turnIdentity(row: JsonObject): TurnIdentity {
  const claims = claimsOf(row);
  if (claims.length === 0) return { kind: 'absent' };
  const ids = new Set(claims.map(turnIdOf));
  const [id] = ids;
  return ids.size === 1 && id ? { kind: 'turn', id } : { kind: 'invalid' };
}

/**
 * The turn as the typed repeat fuse reads it (contract §13.1): a malformed claim beside a valid one is ignored, and
 * contradicting claims leave the row a turn of its own. Null: no turn that could be shared.
 */
export function lenientTurnId(row: JsonObject): string | null {
  const ids = new Set(claimsOf(row).map(turnIdOf));
  ids.delete(null);
  const [id] = ids;
  return ids.size === 1 && id ? id : null;
}
