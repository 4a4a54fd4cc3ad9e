import { asJsonObject, isJsonObject, type JsonObject } from '../json/json-object.ts';
import { compareReceiptsNewestFirst } from './receipt-order.ts';
import { textOf } from './strip-text.ts';
import { turnIdentity } from './turn-identity.ts';

/** A receipt, or null where contradicting receipts leave nobody to believe; missing where there is none. */
type Slot = JsonObject | null;

/** Receipts by what a row can be joined on (contract §6). */
export interface ReceiptIndex {
  readonly byTurn: ReadonlyMap<string, Slot>;
  /** By `fallbackKey`; only receipts that name no turn. */
  readonly byKey: ReadonlyMap<string, Slot>;
}

/** Joins a row and a receipt where neither names a turn: time, agent and todo, an absent one empty. */
export const fallbackKey = (run: JsonObject): string =>
  JSON.stringify(['generated_at', 'agent_id', 'todo_id'].map((field) => textOf(run[field])));

/** Who works on what, for telling two claims to one turn apart. */
export const ownerOf = (run: JsonObject): string =>
  JSON.stringify([textOf(run['agent_id']), textOf(run['todo_id'])]);

/**
 * Indexes receipts. Of two for one transition the later by the full order key stands, the first seen where the keys
 * tie. Two that name different owners of a turn, or different evidence under one fallback key, cancel each other for
 * good: a clock settles no identity.
 */
export function indexReceipts(receipts: unknown): ReceiptIndex {
  const byTurn = new Map<string, Slot>();
  const byKey = new Map<string, Slot>();
  for (const receipt of Array.isArray(receipts) ? receipts.filter(isJsonObject) : []) {
    const run = receipt['run'];
    if (!isJsonObject(run) || !Number.isInteger(receipt['sequence'])) continue;
    const turn = turnIdentity(run);
    if (turn.kind === 'turn') place(byTurn, turn.id, receipt, disputesOwner);
    else if (turn.kind === 'absent' && textOf(run['generated_at']) !== '')
      place(byKey, fallbackKey(run), receipt, disputesEvidence);
  }
  return { byTurn, byKey };
}

function place(
  slots: Map<string, Slot>,
  key: string,
  receipt: JsonObject,
  disputes: (held: JsonObject, receipt: JsonObject) => boolean,
): void {
  const held = slots.get(key);
  if (held === null) return;
  if (held === undefined) slots.set(key, receipt);
  else if (disputes(held, receipt)) slots.set(key, null);
  else if (isLater(receipt, held)) slots.set(key, receipt);
}

/** An owner without a name disputes every other receipt, even one that also lacks it. */
function disputesOwner(held: JsonObject, receipt: JsonObject): boolean {
  const [one, other] = [asJsonObject(held['run']), asJsonObject(receipt['run'])];
  return ownerOf(one) !== ownerOf(other) || textOf(other['agent_id']) === '';
}

const disputesEvidence = (held: JsonObject, receipt: JsonObject): boolean =>
  held['evidence_id'] !== receipt['evidence_id'];

const isLater = (receipt: JsonObject, held: JsonObject): boolean =>
  compareReceiptsNewestFirst(receipt, held) < 0;
