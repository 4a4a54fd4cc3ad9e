import { setImmediate as yieldToTimers } from 'node:timers/promises';
import type { EventSummary, JournalEntry } from '../contract/judged-event.ts';
import { captureReceipt } from '../receipts/capture-receipt.ts';
import { readVerdict } from '../receipts/publish-receipt.ts';
import type { DrainLock } from '../spool/drain-lock.ts';
import { syncFolder } from '../spool/durable-file.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import { readEvent } from '../spool/read-event.ts';
import type { Journal } from '../spool/receipt-journal.ts';
import { errorCode, type SpoolIo } from '../spool/spool-io.ts';
import { isFirstOfShard, shardOf } from '../spool/state-layout.ts';
import { foldUnjudged } from './aggregate.ts';
import { Attempts } from './attempts.ts';
import { commit, type Step } from './batch.ts';
import { keepCopy, receiptOfDamaged, summarizeUnjudged, type UnjudgedEntry } from './bury-damaged.ts';
import { digestsOfEntry, type FoundEntry, findEntry } from './find-entry.ts';
import { type Bench, isCurrent, journalEntry, judgeEvent, unevaluated } from './judge-event.ts';
import { batchSize, capturedResult, type Progress, type RolledBack, resume } from './resume.ts';
import { capturedStep, judgedStep } from './steps.ts';

/** A result waits no longer than this for others to be made durable with. */
const BATCH_MS = 100;
const MAX_ATTEMPTS = 3;

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
  /** A verdict that is published already stands for an event whose result is not known here (a state put back). */
  readonly adopts?: boolean | undefined;
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
  /** Why the pass ended before its end, where it did. */
  readonly ended: DrainEnd | null;
}

export type DrainEnd =
  /** Another process took the lock; nothing was published after that. */
  | { readonly why: 'lost_lock' }
  /** The configuration, basis or binding changed under the pass; load them anew and go on. */
  | { readonly why: 'outdated' }
  /** The next result is not back yet from where it is made. */
  | { readonly why: 'awaiting' }
  /** A receipt file holds something that is not ours. */
  | { readonly why: 'conflict'; readonly file: string }
  | { readonly why: 'rolled_back'; readonly judged: number; readonly tail: number };

/**
 * Judges what is queued, in sequence (design §3, §5 drain). Names are made durable before they are judged, a result is
 * journalled before it is published, the cursor moves last: a kill anywhere costs at most a few repeated steps.
 */
export async function drainPass(pass: DrainPass): Promise<DrainResult> {
  const progress = resume(pass.io, pass.bench.loaded.layout);
  if ('rolledBack' in progress) return rolledBack(progress);
  const walk = new Walk(pass, progress);
  while (walk.goesOn()) await walk.step();
  walk.commit();
  return walk.result();
}

const rolledBack = ({ position, tail }: RolledBack): DrainResult => ({
  processed: [],
  remaining: 0,
  ended: { why: 'rolled_back', judged: position.sequence, tail },
});

/** The walk of one pass along the chain. */
class Walk {
  private readonly pass: DrainPass;
  private readonly journal: Journal;
  private readonly attempts: Attempts;
  private readonly tail: number;
  private readonly processed: EventSummary[] = [];
  private readonly syncedShards = new Set<string>();
  /** Written down. */
  private done: { through: number; aggregate: Progress['aggregate'] };
  /** Read, and judged where that was needed, but not written down. */
  private batch: Step[] = [];
  private batchStart = 0;
  /** The event in hand may be what ended an earlier drain: it shares its batch with nobody. */
  private isSuspect = false;
  private at: number;
  private before: readonly string[];
  private ended: DrainEnd | null = null;

  constructor(pass: DrainPass, progress: Progress) {
    const { io, bench } = pass;
    this.pass = pass;
    this.journal = progress.journal;
    this.attempts = new Attempts(io, bench.loaded.layout);
    this.tail = Math.min(progress.tail, pass.elsewhere?.through ?? Number.POSITIVE_INFINITY);
    this.done = { through: progress.through, aggregate: progress.aggregate };
    this.at = progress.through;
    this.before = progress.digests;
  }

  goesOn(): boolean {
    if (this.ended !== null || this.at >= this.tail || this.pass.shouldStop()) return false;
    return this.processed.length + this.batch.length < this.pass.max || this.flushed();
  }

  /** Whether there is room for more once the batch is written down; not every step of it is one that counts. */
  private flushed(): boolean {
    this.commit();
    return this.ended === null && this.processed.length < this.pass.max;
  }

  async step(): Promise<void> {
    const { io, bench } = this.pass;
    const { layout } = bench.loaded;
    const sequence = this.at + 1;
    if (isFirstOfShard(sequence)) this.commit();
    this.syncShard(sequence);
    const entry = findEntry(io, layout, { sequence, tail: this.tail, before: this.before });
    const began = bench.clock();
    const step = await this.finish(entry);
    if (step === null || this.ended !== null) return;
    if (this.batch.length === 0) this.batchStart = began;
    this.batch.push(step);
    this.at = entry.sequence;
    this.before = digestsOfEntry(entry);
    if (this.isDue()) this.commit();
    // Signals and the lock's own timer get their turn.
    if (this.batch.length === 0) await yieldToTimers();
  }

  private isDue(): boolean {
    const { clock } = this.pass.bench;
    return this.isSuspect || this.batch.length >= batchSize || clock() - this.batchStart >= BATCH_MS;
  }

  /** Hazard: a name that a power cut may still take must not be judged, or the next event of that number is skipped. */
  private syncShard(sequence: number): void {
    const shard = shardOf(sequence);
    if (this.syncedShards.has(shard)) return;
    try {
      syncFolder(this.pass.io, this.pass.bench.loaded.layout.eventShard(sequence));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    this.syncedShards.add(shard);
  }

  private async finish(entry: FoundEntry): Promise<Step | null> {
    if (entry.kind !== 'intact') return this.finishUnjudged(entry);
    const { event } = entry.stored;
    if (event.status === 'queued') return this.finishQueued(entry, entry.stored);
    return capturedStep(entry, entry.stored, captureReceipt(event, this.terms()));
  }

  private finishUnjudged(entry: UnjudgedEntry): Step {
    const { io, bench } = this.pass;
    const { layout, goal } = bench.loaded;
    if (entry.kind === 'damaged') keepCopy(io, layout, entry.sequence);
    const receipt =
      entry.kind === 'damaged' ? receiptOfDamaged(io, goal, entry, this.terms().recordedAt) : null;
    const summary = summarizeUnjudged(entry, receipt);
    const first = entry.kind === 'gap' ? entry.first : entry.sequence;
    const places = { through: entry.sequence, entries: entry.sequence - first + 1 };
    return {
      entry,
      line: null,
      finish: () => ({ receipt, summary, fold: (aggregate) => foldUnjudged(aggregate, summary, places) }),
    };
  }

  /** Null: the pass ends before this event. */
  private async finishQueued(entry: FoundEntry, stored: StoredEvent): Promise<Step | null> {
    const { sequence } = stored.event;
    const known = this.journal.find(sequence, stored.digest);
    if (known !== null) return judgedStep(entry, stored, { line: null, json: known });
    const adopted = this.pass.adopts ? this.adopt(stored) : null;
    const result =
      adopted ?? (await (this.pass.elsewhere ? this.fetch(stored) : this.judgeIfCurrent(stored)));
    if (result === null) return null;
    const json = JSON.stringify(result);
    return judgedStep(entry, stored, { line: { sequence, digest: stored.digest, json }, json });
  }

  private adopt({ event }: StoredEvent): JournalEntry | null {
    const verdict = readVerdict(this.pass.io, this.pass.bench.loaded.goal, event);
    return verdict && { ...capturedResult(verdict), evaluator: 'published' };
  }

  private fetch(stored: StoredEvent): JournalEntry | null {
    const result = this.pass.elsewhere?.resultOf(stored) ?? null;
    if (result === null) this.ended = { why: 'awaiting' };
    return result;
  }

  private async judgeIfCurrent(stored: StoredEvent): Promise<JournalEntry | null> {
    if (this.knowsContractOf(stored)) return this.judge(stored);
    this.ended = { why: 'outdated' };
    return null;
  }

  /** The observer in hand speaks of the event's contract; otherwise only what is on disk can say who is outdated. */
  private knowsContractOf({ event }: StoredEvent): boolean {
    const { loaded } = this.pass.bench;
    const same =
      event.contract_revision === loaded.contractRevision &&
      event.config_digest === loaded.configDigest &&
      event.epoch === loaded.observer.epoch;
    return same || isCurrent(loaded);
  }

  private async judge(stored: StoredEvent): Promise<JournalEntry> {
    const { bench } = this.pass;
    const begun = this.attempts.begin(stored.event.sequence, MAX_ATTEMPTS);
    if (begun > 0) this.commit();
    this.isSuspect = begun > 0;
    if (begun < MAX_ATTEMPTS) return judgeEvent(bench, stored.event);
    const evaluation = unevaluated('failed', 'poison', bench.loaded.config);
    return journalEntry(bench, { event: stored.event, evaluation, elapsedMs: 0 });
  }

  private terms() {
    const { bench } = this.pass;
    return {
      threshold: bench.loaded.config.minimum_label_probability,
      signalRule: bench.loaded.config.signal_rule,
      recordedAt: bench.now() / 1_000,
    };
  }

  /** Writes down what has gathered, unless the lock is another's by now. */
  commit(): void {
    if (this.batch.length === 0) return;
    const { io, bench, lock, onEvent } = this.pass;
    const steps = this.batch;
    this.batch = [];
    this.isSuspect = false;
    if (lock.isLost()) {
      this.ended = { why: 'lost_lock' };
      return;
    }
    const { layout, goal } = bench.loaded;
    const { summaries, conflict, ...done } = commit(
      { io, layout, goal, journal: this.journal },
      steps,
      this.done,
    );
    this.done = done;
    this.processed.push(...summaries);
    for (const summary of summaries) onEvent(summary, this.tail - summary.sequence);
    if (conflict !== null) this.ended = { why: 'conflict', file: conflict };
  }

  result(): DrainResult {
    return { processed: this.processed, remaining: this.countQueued(), ended: this.ended };
  }

  private countQueued(): number {
    const { through, aggregate } = this.done;
    if (through >= this.tail) return 0;
    const newest = readEvent(this.pass.io, this.pass.bench.loaded.layout, this.tail);
    return newest?.ok
      ? Math.max(0, newest.stored.event.totals.queued - aggregate.queued_through)
      : this.tail - through;
  }
}
