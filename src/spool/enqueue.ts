import type { DriftEvent } from '../contract/event.ts';
import { makePrivateFolder, removeQuietly, stageFile, syncFolder } from './durable-file.ts';
import { encodeEvent, type StoredEvent } from './event-format.ts';
import { markDamaged, markEvent, type SeenBefore, seenBefore } from './markers.ts';
import { readEvent } from './read-event.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';
import { isFirstOfShard, type StateLayout } from './state-layout.ts';
import { findTail, leaveHint } from './tail.ts';

/** The newest entry as an enqueuer finds it. */
export interface Tail {
  readonly sequence: number;
  /** Null when the file is damaged. */
  readonly stored: StoredEvent | null;
  /** The newest undamaged entry at or before the tail, for running totals. */
  readonly newestIntact: StoredEvent | null;
  readonly statedDigest: string | null;
  /** What its first line says, where that can still be read. */
  readonly statedId: string | null;
}

/** An entry to be linked, and the texts that follow its JSON. */
export interface Draft {
  readonly event: DriftEvent;
  readonly texts: readonly Uint8Array[];
}

/** Decides the entry for a given tail, or declines with a reason of the caller's own. */
export type Compose<D> = (tail: Tail | null, seen: SeenBefore) => { draft: Draft } | { declined: D };

export type Enqueued<D> =
  | { readonly status: 'enqueued'; readonly event: DriftEvent; readonly digest: string }
  | { readonly status: 'declined'; readonly declined: D }
  | { readonly status: 'contended' };

interface Patience {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly budgetMs: number;
  /** Blocks for about this many milliseconds. */
  readonly pause: (ms: number) => void;
}

const MAX_LOOK_BACK = 16;

/**
 * Adds one entry to the chain without a lock: `link(2)` decides who is next, and whoever loses composes again on the
 * winner's state (design §3). Two fsyncs: the entry before it is linked, its folder after. It is acknowledged only when both have
 * succeeded. Errors of the filesystem are thrown; nothing half-written is ever visible.
 */
export function enqueue<D>(
  io: SpoolIo,
  layout: StateLayout,
  compose: Compose<D>,
  patience: Patience,
): Enqueued<D> {
  const start = patience.now();
  for (let attempt = 0; attempt === 0 || patience.now() - start < patience.budgetMs; attempt += 1) {
    if (attempt > 0) patience.pause(1 + Math.random() * Math.min(40, 2 * attempt));
    const tail = readTail(io, layout);
    if (tail !== null) markTail(io, layout, tail);
    const composed = compose(tail, seenBefore(io, layout));
    if ('declined' in composed) return { status: 'declined', declined: composed.declined };
    const digest = linkEntry(io, layout, composed.draft);
    if (digest !== null) return { status: 'enqueued', event: composed.draft.event, digest };
  }
  return { status: 'contended' };
}

/** A damaged entry keeps its id, so that its turn is not captured a second time. */
function markTail(io: SpoolIo, layout: StateLayout, { sequence, stored, statedId }: Tail): void {
  if (stored !== null) markEvent(io, layout, stored.event);
  else if (statedId !== null) markDamaged(io, layout, sequence, statedId);
}

/** The newest entry; null when the chain is empty. */
export function readTail(io: SpoolIo, layout: StateLayout): Tail | null {
  const sequence = findTail(io, layout);
  if (sequence < 0) return null;
  const decoded = readEvent(io, layout, sequence);
  if (decoded?.ok) {
    const { stored } = decoded;
    return {
      sequence,
      stored,
      newestIntact: stored,
      statedDigest: stored.digest,
      statedId: stored.event.event_id,
    };
  }
  return {
    sequence,
    stored: null,
    newestIntact: lookBack(io, layout, sequence - 1),
    statedDigest: decoded?.statedDigest ?? null,
    statedId: decoded?.eventId ?? null,
  };
}

function lookBack(io: SpoolIo, layout: StateLayout, from: number): StoredEvent | null {
  for (let n = from; n >= 0 && n > from - MAX_LOOK_BACK; n -= 1) {
    const decoded = readEvent(io, layout, n);
    if (decoded?.ok) return decoded.stored;
  }
  return null;
}

/** Null: another writer took this number. */
function linkEntry(io: SpoolIo, layout: StateLayout, { event, texts }: Draft): string | null {
  const { header, digest } = encodeEvent(event);
  const staged = stageFile(io, layout.staging, [header, ...texts]);
  try {
    if (!linkNext(io, layout, staged, event.sequence)) return null;
    syncFolder(io, layout.eventShard(event.sequence));
  } finally {
    removeQuietly(io, staged);
  }
  leaveHint(io, layout, event.sequence);
  return digest;
}

/** The first entry of a shard needs its folder, whoever made it; link(2) finds it missing only where nobody has yet. */
function linkNext(io: SpoolIo, layout: StateLayout, staged: string, sequence: number): boolean {
  if (isFirstOfShard(sequence)) startShard(io, layout, sequence);
  for (let attempt = 0; ; attempt += 1) {
    try {
      io.linkSync(staged, layout.event(sequence));
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      if (errorCode(error) !== 'ENOENT' || attempt > 0) throw error;
      startShard(io, layout, sequence);
    }
  }
}

/**
 * A new shard becomes durable, and the full one before it, before the first name goes into it: no gap after a power
 * cut. Every writer that tries for the first number does this, because the one that made the folder may not have yet.
 */
function startShard(io: SpoolIo, layout: StateLayout, sequence: number): void {
  makePrivateFolder(io, layout.eventShard(sequence));
  syncFolder(io, layout.events);
  if (sequence > 0 && isFirstOfShard(sequence)) syncIfThere(io, layout.eventShard(sequence - 1));
}

function syncIfThere(io: SpoolIo, folder: string): void {
  try {
    syncFolder(io, folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
