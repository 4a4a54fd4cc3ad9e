import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ExchangeOutcome } from '../wire/exchange.ts';
import {
  linkIfFree,
  makeDurableFolder,
  readJsonObject,
  replaceDurably,
  syncFolder,
  writeDurableTemporary,
} from './durable-file.ts';
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
export function openRequestLedger(folder: string): RequestLedger {
  return {
    find: (eventId) => find(folder, eventId),
    reserve: (reservation, maxRequests) =>
      guardDisk('unwritable', () => reserve(folder, reservation, maxRequests)),
    saveOutcome: (answer) => guardDisk(false, () => save(folder, answer)),
  };
}

const named = (folder: string, kind: 'reserved' | 'answers', eventId: string): string => {
  if (!/^[0-9a-f]{64}$/.test(eventId)) throw new TypeError('an event id is 64 lower-case hex digits');
  return join(folder, kind, `${eventId}.json`);
};

function find(folder: string, eventId: string): LedgerEntry {
  const answer = readJsonObject(named(folder, 'answers', eventId));
  if (answer) {
    const outcome = outcomeOf(answer['outcome']);
    const key = answer['request_key'];
    if (answer['schema_version'] === answerVersion && outcome !== null && typeof key === 'string')
      return { state: 'answered', requestKey: key, outcome };
  }
  // An answer that cannot be read proves a send as well as a reservation does.
  return answer === undefined || existsSync(named(folder, 'reserved', eventId))
    ? { state: 'reserved' }
    : { state: 'free' };
}

function outcomeOf(value: unknown): ExchangeOutcome | null {
  const { outcome, body, reason, detail } = (value ?? {}) as Record<string, unknown>;
  if (outcome === 'answered' && typeof body === 'string') return { outcome, body };
  if (outcome === 'failed' && typeof reason === 'string')
    return { outcome, reason, detail: typeof detail === 'string' ? detail : null };
  return null;
}

function reserve(folder: string, reservation: Reservation, maxRequests: number): ReserveResult {
  for (const part of ['tmp', 'slots', 'reserved', 'answers']) makeDurableFolder(join(folder, part));
  const eventName = named(folder, 'reserved', reservation.eventId);
  if (existsSync(eventName)) return 'already_reserved';
  fixRequestBudget(folder, maxRequests);
  const budget = readRequestBudget(folder, maxRequests);
  if (budget === null) return 'budget_unreadable';
  if (budget.used >= budget.max) return 'budget_exhausted';
  const temporary = writeDurableTemporary(join(folder, 'tmp'), {
    schema_version: reservationVersion,
    event_id: reservation.eventId,
    request_key: reservation.requestKey,
    reserved_at: reservation.reservedAt,
  });
  try {
    // A slot that another process took meanwhile: one drainer at a time is the rule, so this is not worth a retry.
    if (!linkIfFree(temporary, join(folder, 'slots', String(budget.used + 1)))) return 'unwritable';
    if (!linkIfFree(temporary, eventName)) return 'already_reserved';
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(join(folder, 'slots'));
  syncFolder(join(folder, 'reserved'));
  return 'reserved';
}

function save(folder: string, { eventId, requestKey, receivedAt, outcome }: SavedOutcome): boolean {
  replaceDurably(named(folder, 'answers', eventId), join(folder, 'tmp'), {
    schema_version: answerVersion,
    event_id: eventId,
    request_key: requestKey,
    received_at: receivedAt,
    outcome,
  });
  return true;
}

/** A full, read-only or vanished disk is an answer of the ledger; anything that is no system error is a bug. */
function guardDisk<T>(otherwise: T, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).syscall === 'string') return otherwise;
    throw error;
  }
}
