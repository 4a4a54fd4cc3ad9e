import type { NormalizedReceipt } from '../contract/receipt.ts';
import type { JsonObject } from '../json/json-object.ts';
import { readOwnFile } from '../json/read-json-file.ts';
import { fallbackKey } from '../sentinel/receipt-index.ts';
import { textOf } from '../sentinel/strip-text.ts';
import { eventIdOfRun } from '../spool/event-id.ts';
import { sha256 } from '../spool/lazy-crypto.ts';

const MAX_RECORD_BYTES = 4_194_304;

/** The id of the event that a refresh captured for each row; null where that cannot be told. */
export const eventIdsOfRows = (rows: readonly JsonObject[], goalId: string): (string | null)[] =>
  rows.map((row) => eventIdOfRow(row, goalId));

function eventIdOfRow(row: JsonObject, goalId: string): string | null {
  const optional = (field: string): string | null => textOf(row[field]) || null;
  const turn = optional('turn_instance_id');
  const file = textOf(row['json_path']);
  // A turn names the event; without one, the run record's bytes do.
  const digest = turn === null ? digestOf(file) : '';
  if (digest === null) return null;
  const run = {
    turn_instance_id: turn,
    agent_id: optional('agent_id'),
    todo_id: optional('todo_id'),
    json_path: file,
    record_digest: digest,
  };
  return eventIdOfRun(run, goalId);
}

function digestOf(file: string): string | null {
  if (!file.startsWith('/')) return null;
  const read = readOwnFile(file, MAX_RECORD_BYTES);
  return read.ok ? sha256(read.value) : null;
}

interface Named {
  readonly rows: readonly JsonObject[];
  readonly receipts: readonly NormalizedReceipt[];
}

/**
 * Tells runs of a generic host apart that name no turn and share a second. LoopX's key of time, agent and todo would
 * leave both unattributed; here the run record says which receipt is whose, so each gets the turn that it was.
 */
export function nameSilentTurns(
  rows: readonly JsonObject[],
  events: readonly (string | null)[],
  receipts: readonly NormalizedReceipt[],
): Named {
  const silent = rows.map((row, index) => ({ row, id: events[index] })).filter(({ row }) => isSilentRun(row));
  const counts = new Map<string, number>();
  for (const { row } of silent) counts.set(fallbackKey(row), (counts.get(fallbackKey(row)) ?? 0) + 1);
  const shared = silent.filter(({ row, id }) => id && (counts.get(fallbackKey(row)) ?? 0) > 1);
  if (shared.length === 0) return { rows, receipts };
  const turns = new Map(shared.map(({ id }) => [id, `run-${String(id).slice(0, 32)}`]));
  return {
    rows: rows.map((row, index) => {
      const turn = turns.get(events[index] ?? '');
      return turn === undefined ? row : { ...row, turn_instance_id: turn };
    }),
    receipts: receipts.map((receipt) => {
      const turn = turns.get(receipt.event_id);
      return turn === undefined ? receipt : { ...receipt, run: { ...receipt.run, turn_instance_id: turn } };
    }),
  };
}

const isSilentRun = (row: JsonObject): boolean =>
  row['run_id'] !== undefined &&
  textOf(row['turn_instance_id']) === '' &&
  row['settlement_identity'] === undefined;
