import { dirname, join } from 'node:path';
import { readJsonFile } from '../../../json/read-json-file.ts';
import { removeQuietly, replaceFile, stageFile, syncFolder } from '../../../spool/durable-file.ts';
import { errorCode, nodeIo, type SpoolIo } from '../../../spool/spool-io.ts';
import type { ExchangeOutcome } from '../wire/exchange.ts';
import { exists, linkIfFree, maxRecordBytes } from './record-file.ts';
import { fixRequestBudget, readRequestBudget } from './request-budget.ts';

const reservationVersion = 'drift_request_reservation_v1';
const answerVersion = 'drift_request_answer_v1';

export interface Reservation {
  readonly eventId: string;
  /** sha256 of the canonical request. */
  readonly requestKey: string;
  /** ISO 8601, UTC. */
  readonly reservedAt: string;
}

/** What is known of an event's one request. `reserved`: it may have been sent, and is never sent again. */
export type LedgerEntry =
  | { readonly state: 'free' }
  | { readonly state: 'reserved' }
  | { readonly state: 'answered'; readonly requestKey: string; readonly outcome: ExchangeOutcome };

export type ReserveResult =
  | 'reserved'
  | 'already_reserved'
  | 'budget_exhausted'
  | 'budget_unreadable'
  | 'unwritable';

/**
 * The durable record that makes a request happen at most once, in one private folder of the state directory:
 *
 * ```
 * slots/<n>               n = 1, 2, …: one per request that was or may have been sent; their number is what is used
 * reserved/<event-id>.json  the same file under the event's name: the event's one chance is taken
 * answers/<event-id>.json   what came back, an answer or a failure
 * budget.json             how many requests this observer may send, fixed by the first
 * tmp/                    files being written
 * ```
 *
 * Both names of a reservation are on disk before the send, the answer before it is used. A process that dies in
 * between leaves a reservation without an answer. A taken slot without an event's name is a request that was not sent;
 * it stays counted.
 */
export interface RequestLedger {
  find(eventId: string): LedgerEntry;
  /** Takes the event's one chance and a slot of the budget; `reserved` means: on disk, send now. */
  reserve(reservation: Reservation, maxRequests: number): ReserveResult;
  /** Saves what came back. False when the disk refused; the answer in hand may still be used. */
  saveOutcome(answer: SavedOutcome): boolean;
}

export interface SavedOutcome {
  readonly eventId: string;
  readonly requestKey: string;
  readonly receivedAt: string;
  readonly outcome: ExchangeOutcome;
}

/** The ledger in `folder`. Nothing is created before the first reservation. */
export function openRequestLedger(folder: string, io: SpoolIo = nodeIo): RequestLedger {
  return {
    find: (eventId) => guardDisk<LedgerEntry>({ state: 'reserved' }, () => find(folder, eventId)),
    reserve: (reservation, maxRequests) =>
      guardDisk('unwritable', () => reserve(io, folder, reservation, maxRequests)),
    saveOutcome: (answer) => guardDisk(false, () => save(io, folder, answer)),
  };
}

const named = (folder: string, kind: 'reserved' | 'answers', eventId: string): string => {
  if (!/^[0-9a-f]{64}$/.test(eventId)) throw new TypeError('an event id is 64 lower-case hex digits');
  return join(folder, kind, `${eventId}.json`);
};

const bytesOf = (record: object): Buffer => Buffer.from(`${JSON.stringify(record)}\n`);

function find(folder: string, eventId: string): LedgerEntry {
  const read = readJsonFile(named(folder, 'answers', eventId), maxRecordBytes);
  if (read.ok) {
    const { schema_version, request_key, outcome } = (read.value.value ?? {}) as Record<string, unknown>;
    const kept = outcomeOf(outcome);
    if (schema_version === answerVersion && kept !== null && typeof request_key === 'string')
      return { state: 'answered', requestKey: request_key, outcome: kept };
  }
  // An answer that cannot be read proves a send as well as a reservation does.
  const sent = read.ok || read.failure.reason !== 'file_missing';
  return sent || exists(named(folder, 'reserved', eventId)) ? { state: 'reserved' } : { state: 'free' };
}

function outcomeOf(value: unknown): ExchangeOutcome | null {
  const { outcome, body, reason, detail } = (value ?? {}) as Record<string, unknown>;
  if (outcome === 'answered' && typeof body === 'string') return { outcome, body };
  if (outcome === 'failed' && typeof reason === 'string')
    return { outcome, reason, detail: typeof detail === 'string' ? detail : null };
  return null;
}

function reserve(io: SpoolIo, folder: string, reservation: Reservation, maxRequests: number): ReserveResult {
  makeFolders(io, folder);
  const eventName = named(folder, 'reserved', reservation.eventId);
  if (exists(eventName)) return 'already_reserved';
  fixRequestBudget(io, folder, maxRequests);
  const budget = readRequestBudget(folder, maxRequests);
  if (budget === null) return 'budget_unreadable';
  if (budget.used >= budget.max) return 'budget_exhausted';
  const record = {
    schema_version: reservationVersion,
    event_id: reservation.eventId,
    request_key: reservation.requestKey,
    reserved_at: reservation.reservedAt,
  };
  const staged = stageFile(io, join(folder, 'tmp'), [bytesOf(record)]);
  try {
    // Taken meanwhile by another process: one drainer at a time is the rule, so this is not worth a second try.
    if (!linkIfFree(io, staged, join(folder, 'slots', String(budget.used + 1)))) return 'unwritable';
    if (!linkIfFree(io, staged, eventName)) return 'already_reserved';
  } finally {
    removeQuietly(io, staged);
  }
  syncFolder(io, join(folder, 'slots'));
  syncFolder(io, join(folder, 'reserved'));
  return 'reserved';
}

/** The parts of the ledger, with their names on disk: a reservation is no safer than the folder it lies in. */
function makeFolders(io: SpoolIo, folder: string): void {
  const parts = ['tmp', 'slots', 'reserved', 'answers'].map((part) => join(folder, part));
  if (parts.every(exists)) return;
  for (const part of parts) io.mkdirSync(part, { recursive: true, mode: 0o700 });
  syncFolder(io, folder);
  syncFolder(io, dirname(folder));
}

function save(
  io: SpoolIo,
  folder: string,
  { eventId, requestKey, receivedAt, outcome }: SavedOutcome,
): boolean {
  const file = named(folder, 'answers', eventId);
  const record = {
    schema_version: answerVersion,
    event_id: eventId,
    request_key: requestKey,
    received_at: receivedAt,
    outcome,
  };
  replaceFile(io, file, bytesOf(record), { staging: join(folder, 'tmp'), folder: join(folder, 'answers') });
  return true;
}

/** A full, read-only or vanished disk is an answer of the ledger; anything that is no system error is a bug. */
function guardDisk<T>(otherwise: T, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (errorCode(error) !== undefined && !(error instanceof TypeError)) return otherwise;
    throw error;
  }
}
