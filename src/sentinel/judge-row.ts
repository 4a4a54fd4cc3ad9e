import type { PolicySignal } from '../contract/policy.ts';
import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { fallbackKey, ownerOf, type ReceiptIndex } from './receipt-index.ts';
import { agentOf } from './run-row.ts';
import { turnIdentity } from './turn-identity.ts';

/** The seed's ten reasons why a transition was not evaluated. */
export const unevaluatedReasons = [
  'pending',
  'failed',
  'abstained',
  'stale',
  'undecided',
  'missing',
  'unattributed',
  'identity_conflict',
  'other_revision',
  'not_evaluated',
] as const;

export type UnevaluatedReason = (typeof unevaluatedReasons)[number];

/** What one row of a lane is worth. `on_goal` only says that the signal is false. */
export type RowVerdict =
  | { readonly verdict: 'drift' | 'on_goal'; readonly receipt: JsonObject }
  | { readonly verdict: 'unevaluated'; readonly reason: UnevaluatedReason };

/** The rows that are judged together, and what of the policy decides. */
export interface Lane {
  readonly rows: readonly JsonObject[];
  readonly index: ReceiptIndex;
  readonly signal: PolicySignal;
  readonly pin: string;
}

/** Judges the rows of a lane; the first reason that fits is given (contract §6, seed). */
export function rowJudge(lane: Lane): (row: JsonObject) => RowVerdict {
  const ownersOfTurn = new Map<string, Set<string>>();
  const rowsOfKey = new Map<string, number>();
  for (const row of lane.rows) {
    const turn = turnIdentity(row);
    if (turn.kind === 'turn')
      ownersOfTurn.set(turn.id, (ownersOfTurn.get(turn.id) ?? new Set()).add(ownerOf(row)));
    if (turn.kind === 'absent') rowsOfKey.set(fallbackKey(row), (rowsOfKey.get(fallbackKey(row)) ?? 0) + 1);
  }
  const receiptOf = (row: JsonObject): JsonObject | null | undefined => {
    const turn = turnIdentity(row);
    if (turn.kind === 'invalid') return null;
    if (turn.kind === 'turn')
      return (ownersOfTurn.get(turn.id)?.size ?? 0) > 1 ? null : lane.index.byTurn.get(turn.id);
    const key = fallbackKey(row);
    return (rowsOfKey.get(key) ?? 0) > 1 ? null : lane.index.byKey.get(key);
  };
  return (row) => {
    const receipt = receiptOf(row);
    if (receipt === null) return unevaluated('unattributed');
    if (receipt === undefined) return unevaluated('missing');
    if (agentOf(row) === '' || ownerOf(row) !== ownerOf(asJsonObject(receipt['run'])))
      return unevaluated('identity_conflict');
    return verdictOf(receipt, lane);
  };
}

const unevaluated = (reason: UnevaluatedReason): RowVerdict => ({ verdict: 'unevaluated', reason });

function verdictOf(receipt: JsonObject, { signal, pin }: Lane): RowVerdict {
  const status = receipt['status'];
  if (status === 'failed' || status === 'abstained' || status === 'stale') return unevaluated(status);
  if (status !== 'completed') {
    const pending = status === 'not_evaluated' && receipt['reason'] === 'pending_evaluation';
    return unevaluated(pending ? 'pending' : 'not_evaluated');
  }
  if (receipt['contract_revision'] !== pin) return unevaluated('other_revision');
  const drift = asJsonObject(receipt['drift_signal'])[signal];
  if (drift === true) return { verdict: 'drift', receipt };
  return drift === false ? { verdict: 'on_goal', receipt } : unevaluated('undecided');
}
