import { join } from 'node:path';
import type { EventSummary, JournalEntry } from '../contract/judged-event.ts';
import type { Receipt } from '../contract/receipt.ts';
import { readOwnFile } from '../json/read-json-file.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { captureReceipt } from '../receipts/capture-receipt.ts';
import { publishAtCapture, publishVerdict } from '../receipts/publish-receipt.ts';
import { readCursor, writeCursor } from '../spool/cursor.ts';
import type { DrainLock } from '../spool/drain-lock.ts';
import { syncFolder } from '../spool/durable-file.ts';
import type { DecodedEvent, StoredEvent } from '../spool/event-format.ts';
import { markEvent, markersOf } from '../spool/markers.ts';
import { readEvent } from '../spool/read-event.ts';
import { readJournal, writeJournal } from '../spool/receipt-journal.ts';
import type { SpoolIo } from '../spool/spool-io.ts';
import { findTail } from '../spool/tail.ts';
import {
  type Aggregate,
  emptyAggregate,
  foldDamaged,
  foldEvent,
  parseAggregate,
  summarize,
  writeAggregate,
} from './aggregate.ts';
import { Attempts } from './attempts.ts';
import { buryDamaged } from './bury-damaged.ts';
import { type Bench, isCurrent, journalEntry, judgeEvent, unevaluated } from './judge-event.ts';

const CURSOR_EVERY = 32;
const MAX_ATTEMPTS = 3;
const MAX_AGGREGATE_BYTES = 16_777_216;

/** One pass over what is queued. */
export interface DrainPass {
  readonly io: SpoolIo;
  readonly bench: Bench;
  readonly lock: Pick<DrainLock, 'isLost'>;
  /** Events to finish at most. */
  readonly max: number;
  /** True: finish the event in hand, then end the pass. */
  readonly shouldStop: () => boolean;
  readonly onEvent: (summary: EventSummary, remaining: number) => void;
  /** Set when the fleet judges: what has come back is published, and nothing is judged here. */
  readonly elsewhere?: JudgedElsewhere;
}

export interface JudgedElsewhere {
  /** The last entry that has been handed over; no step goes beyond it. */
  readonly through: number;
  /** The result of a queued entry. Null: not there yet, so the pass ends. */
  readonly resultOf: (stored: StoredEvent) => JournalEntry | null;
}

export interface DrainResult {
  readonly processed: readonly EventSummary[];
  readonly remaining: number;
  /** Another process took the lock; nothing was published after that. */
  readonly lostLock: boolean;
  /** The configuration, basis or binding changed under the pass; load them anew and go on. */
  readonly outdated: boolean;
}

/**
 * Judges what is queued, in sequence (design §3, §5 drain). Names are made durable before they are judged, a result is
 * journalled before it is published, the cursor moves last: a kill anywhere costs at most a few repeated steps.
 */
export async function drainPass(pass: DrainPass): Promise<DrainResult> {
  const { io, bench } = pass;
  const { layout } = bench.loaded;
  const progress = resume(pass);
  const processed: EventSummary[] = [];
  const tail = Math.min(findTail(io, layout), pass.elsewhere?.through ?? Number.POSITIVE_INFINITY);
  let before = progress.cursor >= 0 ? readEvent(io, layout, progress.cursor) : null;
  let { aggregate } = progress;
  let at = progress.cursor;
  const save = (): void => {
    if (at === progress.saved) return;
    syncMarkers(io, touched);
    writeAggregate(io, layout, aggregate);
    writeCursor(io, layout, at);
    progress.saved = at;
  };
  const touched = new Set<string>();
  const shards = new Set<string>();
  let outdated = false;
  while (at < tail && processed.length < pass.max && !pass.shouldStop() && !pass.lock.isLost()) {
    outdated = !isCurrent(bench.loaded);
    if (outdated) break;
    const sequence = at + 1;
    syncOnce(io, shards, layout.eventShard(sequence));
    const decoded = readEvent(io, layout, sequence);
    const step = await finishEntry(pass, { sequence, decoded, before });
    if (step === 'lost') break;
    if (decoded?.ok) {
      markEvent(io, layout, decoded.stored.event);
      for (const marker of markersOf(layout, decoded.stored.event)) touched.add(join(marker, '..'));
    }
    aggregate = step.fold(aggregate);
    before = decoded;
    at = sequence;
    if (step.summary) {
      processed.push(step.summary);
      pass.onEvent(step.summary, tail - at);
    }
    if (at % CURSOR_EVERY === 0) save();
  }
  save();
  return { processed, remaining: countQueued(pass, at, tail), lostLock: pass.lock.isLost(), outdated };
}

interface Entry {
  readonly sequence: number;
  readonly decoded: DecodedEvent | null;
  readonly before: DecodedEvent | null;
}

interface Step {
  readonly fold: (aggregate: Aggregate) => Aggregate;
  /** Set when the entry was queued or damaged: what the owner wants to hear of. */
  readonly summary: EventSummary | null;
}

async function finishEntry(pass: DrainPass, { sequence, decoded, before }: Entry): Promise<Step | 'lost'> {
  const { io, bench } = pass;
  const { layout, goal } = bench.loaded;
  const chained = decoded?.ok === true && (before === null || isSuccessor(decoded.stored, before));
  if (decoded === null || !decoded.ok || !chained) {
    const summary = buryDamaged(io, { layout, goal, sequence, decoded, terms: termsOf(pass) });
    return { summary, fold: (aggregate) => foldDamaged(aggregate, sequence, summary) };
  }
  const { stored } = decoded;
  if (stored.event.status !== 'queued') {
    const receipt = captureReceipt(stored.event, termsOf(pass));
    if (receipt) publishAtCapture(io, goal, receipt);
    const entry = receipt && captureEntry(receipt);
    return { summary: null, fold: (aggregate) => foldEvent(aggregate, stored, entry) };
  }
  const entry = await journalled(pass, stored);
  if (entry === null) return 'lost';
  publishVerdict(io, goal, entry.receipt);
  return { summary: summarize(stored, entry), fold: (aggregate) => foldEvent(aggregate, stored, entry) };
}

const captureEntry = (receipt: Receipt): JournalEntry => ({
  schema_version: 'drift_journal_v1',
  receipt,
  evaluator: 'none',
  facts: [],
});

/**
 * The journalled result, or a new one. Null: the lock was lost while judging, so nothing may be published, or the
 * result is not back yet from where it is made.
 */
async function journalled(pass: DrainPass, stored: StoredEvent): Promise<JournalEntry | null> {
  const { io, bench } = pass;
  const { layout } = bench.loaded;
  const known = readJournal(io, layout, stored.event.sequence, stored.digest);
  if (known !== null) return JSON.parse(known.toString('utf8')) as JournalEntry;
  const entry = pass.elsewhere ? pass.elsewhere.resultOf(stored) : await judgeHere(pass, stored);
  if (entry === null || pass.lock.isLost()) return null;
  const bytes = writeJournal(io, layout, {
    sequence: stored.event.sequence,
    digest: stored.digest,
    bytes: Buffer.from(`${JSON.stringify(entry)}\n`),
  });
  return JSON.parse(bytes.toString('utf8')) as JournalEntry;
}

async function judgeHere({ io, bench }: DrainPass, stored: StoredEvent): Promise<JournalEntry> {
  const { layout, config } = bench.loaded;
  const attempts = new Attempts(io, layout);
  const poisoned = attempts.count(stored.event.sequence) >= MAX_ATTEMPTS;
  if (!poisoned) attempts.add(stored.event.sequence);
  if (!poisoned) return judgeEvent(bench, stored.event);
  const evaluation = unevaluated('failed', 'poison', config);
  return journalEntry(bench, { event: stored.event, evaluation, elapsedMs: 0 });
}

/** `prev` is compared with what the predecessor's first line states, so that damage there stays its own. */
function isSuccessor({ event }: StoredEvent, before: DecodedEvent): boolean {
  const stated = before.ok ? before.stored.digest : before.statedDigest;
  return stated === null || event.prev === null || event.prev === stated;
}

const termsOf = ({ bench }: DrainPass) => ({
  threshold: bench.loaded.config.minimum_label_probability,
  signalRule: bench.loaded.config.signal_rule,
  recordedAt: bench.now() / 1_000,
});

interface Progress {
  readonly cursor: number;
  readonly aggregate: Aggregate;
  saved: number;
}

/** Where to go on. An aggregate that is behind the cursor, or missing, is caught up from the journal. */
function resume({ io, bench }: DrainPass): Progress {
  const { layout } = bench.loaded;
  const cursor = Math.min(readCursor(io, layout) ?? -1, findTail(io, layout));
  let aggregate = readAggregate(bench.loaded) ?? emptyAggregate;
  for (let sequence = aggregate.through + 1; sequence <= cursor; sequence += 1) {
    const decoded = readEvent(io, layout, sequence);
    if (!decoded?.ok) continue;
    aggregate = foldEvent(aggregate, decoded.stored, journalOf({ io, bench }, decoded.stored));
  }
  return { cursor, aggregate, saved: cursor };
}

function journalOf({ io, bench }: Pick<DrainPass, 'io' | 'bench'>, stored: StoredEvent): JournalEntry | null {
  const bytes = readJournal(io, bench.loaded.layout, stored.event.sequence, stored.digest);
  if (bytes !== null) return JSON.parse(bytes.toString('utf8')) as JournalEntry;
  const receipt = captureReceipt(stored.event, { threshold: 0.6, signalRule: 'v2', recordedAt: 0 });
  return receipt && stored.event.status !== 'queued' ? captureEntry(receipt) : null;
}

export function readAggregate({ layout }: Pick<LoadedObserver, 'layout'>): Aggregate | null {
  const read = readOwnFile(layout.aggregate, MAX_AGGREGATE_BYTES);
  return parseAggregate(read.ok ? read.value : null);
}

function countQueued({ io, bench }: DrainPass, at: number, tail: number): number {
  if (at >= tail) return 0;
  const newest = readEvent(io, bench.loaded.layout, tail);
  const reached = at >= 0 ? readEvent(io, bench.loaded.layout, at) : null;
  if (newest?.ok && (at < 0 || reached?.ok))
    return newest.stored.event.totals.queued - (reached?.ok ? reached.stored.event.totals.queued : 0);
  return tail - at;
}

function syncOnce(io: SpoolIo, done: Set<string>, folder: string): void {
  if (done.has(folder)) return;
  syncFolder(io, folder);
  done.add(folder);
}

function syncMarkers(io: SpoolIo, folders: Set<string>): void {
  for (const folder of folders) syncFolder(io, folder);
  folders.clear();
}
