// An observer with as many events as asked, built without staging and syncs: the same files and bytes in a small part of
// the time. Nothing here has to survive a power cut.
import { createHash } from 'node:crypto';
import fs, { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyAggregate, foldEvent, writeAggregate } from '../../dist/drain/aggregate.js';
import { drainPass } from '../../dist/drain/drain.js';
import { journalEntry } from '../../dist/drain/judge-event.js';
import { TextCache } from '../../dist/drain/transition-input.js';
import { criterionOnce } from '../../dist/goal/bind-criterion.js';
import { loadObserver } from '../../dist/observer/load-observer.js';
import { captureReceipt } from '../../dist/receipts/capture-receipt.js';
import { publishAtCapture, receiptFile, serializeReceipt } from '../../dist/receipts/publish-receipt.js';
import { composeEvent, eventIdOf } from '../../dist/shim/compose-event.js';
import { writeCursor } from '../../dist/spool/cursor.js';
import { makePrivateFolder } from '../../dist/spool/durable-file.js';
import { enqueue, readTail } from '../../dist/spool/enqueue.js';
import { decodeEvent, encodeEvent } from '../../dist/spool/event-format.js';
import { markEvent } from '../../dist/spool/markers.js';
import { Journal } from '../../dist/spool/receipt-journal.js';
import { leaveHint } from '../../dist/spool/tail.js';

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const quickIo = { ...fs, fsyncSync: () => undefined };

/** How large the declared file is; every event changes it. */
export const TEXT_BYTES = 3_000;

export class LongHistory {
  constructor(state) {
    const loaded = loadObserver({ stateDir: state, env: {}, cwd: '/' });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.failure));
    this.loaded = loaded.value;
    const { goal } = this.loaded.goal;
    fs.mkdirSync(goal, { recursive: true, mode: 0o700 });
    this.runFile = join(goal, 'run.json');
    writePrivate(this.runFile, '{}');
    this.turns = 0;
  }

  /**
   * Up to `size` events with markers, results and receipts, cursor and counts at the end. What each file holds is made by
   * drift's own functions; it is written at once under its name, not staged, linked and synced.
   */
  build(size, onProgress) {
    const { layout, goal } = this.loaded;
    const journal = new Journal(quickIo, layout);
    let tail = readTail(quickIo, layout);
    let aggregate = foldEvent(emptyAggregate, tail.stored, null);
    fs.mkdirSync(goal.receipts, { recursive: true, mode: 0o700 });
    for (let lines = []; this.turns < size; ) {
      const { event, texts } = composeEvent(this.observe(`built-${this.turns}`, tail), tail, seenNothing);
      if (event.sequence % 1_000 === 0) makePrivateFolder(quickIo, layout.eventShard(event.sequence));
      const { header, digest } = encodeEvent(event);
      writePrivate(layout.event(event.sequence), Buffer.concat([header, ...texts]));
      markEvent(quickIo, layout, event);
      const entry = journalEntry(
        { loaded: this.loaded, now: Date.now },
        { event, evaluation: abstained, elapsedMs: 1 },
      );
      writePrivate(receiptFile(goal, event.event_id), serializeReceipt(entry.receipt));
      lines.push({ sequence: event.sequence, digest, json: JSON.stringify(entry) });
      const stored = decodeEvent(header, event.sequence).stored;
      aggregate = foldEvent(aggregate, stored, entry);
      tail = {
        sequence: event.sequence,
        stored,
        newestIntact: stored,
        statedDigest: digest,
        statedId: event.event_id,
      };
      this.turns += 1;
      if (this.turns === size || event.sequence % 1_000 === 999) {
        journal.append(lines);
        lines = [];
      }
      if (this.turns % 10_000 === 0) onProgress(this.turns);
    }
    writeAggregate(quickIo, layout, aggregate);
    writeCursor(quickIo, layout, tail.sequence, tail.statedDigest);
    leaveHint(quickIo, layout, tail.sequence);
  }

  /** What a refresh would have seen at the end of a turn. */
  observe(turn, tail) {
    const { observer, contractRevision, configDigest } = this.loaded;
    return {
      observer,
      contractRevision,
      configDigest,
      evaluator: 'structural',
      host: 'generic',
      capturedAt: new Date().toISOString(),
      run: {
        generated_at: '2026-01-01T00:00:00+00:00',
        turn_instance_id: turn,
        agent_id: 'bench',
        todo_id: null,
        json_path: this.runFile,
        record_digest: sha256('{}'),
      },
      command: null,
      waiting: false,
      git: { ref: null, inProgress: false },
      snapshot: look(turn, tail?.stored?.event.files[0]),
      tailAtStart: Number.MAX_SAFE_INTEGER,
      failuresSeen: 0,
      nonce: turn,
    };
  }

  /** One more event by way of `io`, as a refresh adds it. */
  add(io, turn) {
    const { layout, goal } = this.loaded;
    const result = enqueue(
      io,
      layout,
      (tail, seen) => {
        const observed = this.observe(turn, tail);
        if (seen.event(eventIdOf(observed))) return { declined: 'duplicate_event' };
        return { draft: composeEvent(observed, tail, seen) };
      },
      { now: () => performance.now(), budgetMs: 2_000, pause: () => undefined },
    );
    if (result.status !== 'enqueued') throw new Error(result.status);
    const receipt = captureReceipt(result.event, { threshold: 0.6, signalRule: 'v2', recordedAt: 1 });
    if (receipt) publishAtCapture(io, goal, receipt);
  }

  /** Judges what is queued with an evaluator that only abstains. Gives back how many and in which time. */
  async drain(io) {
    const { loaded } = this;
    const start = performance.now();
    const { processed, ended } = await drainPass({
      io,
      bench: {
        loaded,
        evaluatorFor: () => async () => abstained,
        cache: new TextCache(io, loaded.layout),
        criterion: criterionOnce(loaded),
        now: Date.now,
        clock: () => performance.now(),
      },
      lock: { isLost: () => false },
      max: Number.POSITIVE_INFINITY,
      shouldStop: () => false,
      onEvent: () => undefined,
    });
    if (ended !== null) throw new Error(JSON.stringify(ended));
    return { events: processed.length, seconds: (performance.now() - start) / 1_000 };
  }
}

const writePrivate = (file, bytes) => writeFileSync(file, bytes, { mode: 0o600 });

/** True of a history in which no turn, text or change comes twice. */
const seenNothing = { event: () => false, evidence: () => false, stateVisits: () => 0, repetitions: () => 0 };

const abstained = {
  status: 'abstained',
  reason: 'structural_unproven',
  judgments: { choice: null, noul: null },
  facts: [],
  evaluator: 'structural',
  model: 'bench',
  question_version: 'structural_proof_v1',
};

/** The declared file as the turn left it, against what was known of it. */
function look(turn, known) {
  const text = Buffer.from(`${turn}\n`.padEnd(TEXT_BYTES, 'line of work\n'));
  const file = {
    path: 'a.txt',
    role: 'declared',
    state: 'text',
    sha256: sha256(text),
    stat: { size: text.length, mtime_ms: 1, ctime_ms: 1, ino: 1 },
    text: null,
    change: known ? 'modified' : 'added',
    ...(known
      ? { before: { state: 'text', sha256: known.sha256, size: known.stat?.size ?? 0, text: known.text } }
      : {}),
  };
  return { files: [file], texts: new Map([['a.txt', text]]) };
}
