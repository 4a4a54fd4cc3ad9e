import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configSchema } from '../../src/contract/config.ts';
import type { DriftEvent, FileState } from '../../src/contract/event.ts';
import type { Receipt } from '../../src/contract/receipt.ts';
import { type DrainResult, drainPass } from '../../src/drain/drain.ts';
import { TextCache } from '../../src/drain/transition-input.ts';
import type { Evaluation } from '../../src/evaluate/evaluator.ts';
import { criterionOnce } from '../../src/goal/bind-criterion.ts';
import type { LoadedObserver } from '../../src/observer/load-observer.ts';
import { captureReceipt } from '../../src/receipts/capture-receipt.ts';
import { publishAtCapture } from '../../src/receipts/publish-receipt.ts';
import { normalizeReceipt } from '../../src/sentinel/normalize-receipt.ts';
import { composeEvent, eventIdOf } from '../../src/shim/compose-event.ts';
import { makePrivateFolder } from '../../src/spool/durable-file.ts';
import { type Enqueued, enqueue, type Tail } from '../../src/spool/enqueue.ts';
import { readEvent } from '../../src/spool/read-event.ts';
import type { SpoolIo } from '../../src/spool/spool-io.ts';
import { goalLayout, stateLayout } from '../../src/spool/state-layout.ts';
import { findTail } from '../../src/spool/tail.ts';

const sha = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

const observer = {
  schema_version: 'drift_observer_v1' as const,
  observer_id: '0'.repeat(32),
  goal_id: 'goal',
  workspace: '/nowhere',
  paths: ['a.txt'],
  globs: [],
  evidence: [],
  receipts: 'private_runtime' as const,
  epoch: 0,
  created_at: '2026-01-01T00:00:00.000Z',
};

export interface Turn {
  /** Null: a checkpoint. */
  readonly turn: string | null;
  readonly text: string;
  readonly failuresSeen?: number;
  /** Called when the entry is composed, before anybody tries to link it. */
  readonly gate?: (tail: Tail | null) => void;
  readonly budgetMs?: number;
}

export interface DrainOptions {
  readonly evaluate?: (event: string) => Promise<void> | void;
  readonly isLost?: () => boolean;
  readonly shouldStop?: () => boolean;
  readonly max?: number;
  readonly adopts?: boolean;
  readonly now?: () => number;
}

/**
 * One observer whose chain lies wherever `io` puts it, while basis, configuration and run record are real files below
 * `folder`, which is what the guards read.
 */
export function makeSpoolBench(folder: string) {
  const state = join(folder, 'state');
  const runtime = join(folder, 'runtime');
  const layout = stateLayout(state);
  const goal = goalLayout(runtime, observer.goal_id);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const basisFile = join(folder, 'basis.json');
  const runFile = join(folder, 'run.json');
  const configText = JSON.stringify({ schema_version: 'drift_config_v1' });
  const binding = { ...observer, runtime_root: runtime, basis_file: basisFile };
  writeFileSync(basisFile, '{"objective":"o","acceptance":["a"]}');
  writeFileSync(runFile, '{}');
  writeFileSync(layout.config, configText);
  writeFileSync(layout.observer, JSON.stringify(binding));
  const contractRevision = sha('{"objective":"o","acceptance":["a"]}');
  const configDigest = sha(configText);
  const loaded: LoadedObserver = {
    state,
    layout,
    goal,
    observer: binding,
    config: configSchema.parse(JSON.parse(configText)),
    configFile: layout.config,
    configDigest,
    basis: { objective: 'o', acceptance: ['a'] } as LoadedObserver['basis'],
    contractRevision,
  };

  /** The folders that init makes. */
  function prepare(io: SpoolIo): void {
    for (const made of [layout.staging, layout.events, layout.eventShard(0), layout.tally, layout.markers])
      makePrivateFolder(io, made);
  }

  function capture(
    io: SpoolIo,
    { turn, text, failuresSeen = 0, gate, budgetMs = 200 }: Turn,
  ): Enqueued<'duplicate_event'> {
    const run = turn === null ? null : runOf(turn);
    const nonce = randomBytes(8).toString('hex');
    const tailAtStart = findTail(io, layout);
    const result = enqueue<'duplicate_event'>(
      io,
      layout,
      (tail, seen) => {
        if (seen.event(eventIdOf({ run, observer, nonce }))) return { declined: 'duplicate_event' };
        const { files, texts } = look(text, tail?.stored?.event.files[0]);
        const draft = composeEvent(
          {
            observer,
            contractRevision,
            configDigest,
            evaluator: 'structural',
            host: 'generic',
            capturedAt: new Date().toISOString(),
            run,
            command: null,
            waiting: false,
            git: { ref: null, inProgress: false },
            snapshot: { files, texts },
            tailAtStart: gate ? tailAtStart : Number.MAX_SAFE_INTEGER,
            failuresSeen,
            nonce,
          },
          tail,
          seen,
        );
        gate?.(tail);
        return { draft };
      },
      { now: () => performance.now(), budgetMs, pause: () => undefined },
    );
    return result;
  }

  const runOf = (turn: string) => ({
    generated_at: '2026-01-01T00:00:00+00:00',
    turn_instance_id: turn,
    agent_id: 'worker',
    todo_id: null,
    json_path: runFile,
    record_digest: sha('{}'),
  });

  /** As refresh does it: the event, then its receipt. */
  function refresh(io: SpoolIo, turn: Turn): Enqueued<'duplicate_event'> {
    const result = capture(io, turn);
    if (result.status !== 'enqueued') return result;
    const receipt = captureReceipt(result.event, { threshold: 0.6, signalRule: 'v2', recordedAt: 1 });
    if (receipt) publishAtCapture(io, goal, receipt);
    return result;
  }

  const drain = (io: SpoolIo, options: DrainOptions = {}): Promise<DrainResult> =>
    drainPass({
      io,
      bench: {
        loaded,
        evaluatorFor: (event) => async () => {
          await options.evaluate?.(event.eventId);
          return abstained;
        },
        cache: new TextCache(io, layout),
        criterion: criterionOnce(loaded),
        now: options.now ?? (() => 1_700_000_000_000),
        clock: () => performance.now(),
      },
      lock: { isLost: options.isLost ?? (() => false) },
      max: options.max ?? Number.POSITIVE_INFINITY,
      shouldStop: options.shouldStop ?? (() => false),
      onEvent: () => undefined,
      adopts: options.adopts,
    });

  /** Every entry of the chain, in sequence. */
  function chain(io: SpoolIo): DriftEvent[] {
    const events: DriftEvent[] = [];
    for (let n = 0; n <= findTail(io, layout); n += 1) {
      const decoded = readEvent(io, layout, n);
      if (!decoded?.ok) throw new Error(`entry ${n} is ${decoded === null ? 'missing' : decoded.damage}`);
      events.push(decoded.stored.event);
    }
    return events;
  }

  /** Every receipt, strictly read, by sequence; throws for one that is none. */
  function receipts(io: SpoolIo): Receipt[] {
    return namesIn(io, goal.receipts)
      .map((name) => {
        const read = normalizeReceipt({ receipt: JSON.parse(readFile(io, join(goal.receipts, name))) });
        if (!read.ok) throw new Error(`${name}: ${read.reason} ${read.field}`);
        if (name !== `${read.receipt.event_id}.json`) throw new Error(`${name} is not named after its event`);
        return read.receipt as Receipt;
      })
      .sort((a, b) => a.sequence - b.sequence);
  }

  return { folder, state, layout, goal, loaded, prepare, capture, refresh, drain, chain, receipts };
}

export type SpoolBench = ReturnType<typeof makeSpoolBench>;

const abstained: Evaluation = {
  status: 'abstained',
  reason: 'structural_unproven',
  judgments: { choice: null, noul: null },
  facts: [],
  evaluator: 'structural',
  model: 'structural-1',
  question_version: 'structural_proof_v1',
};

/** One file with one text, against what was known of it. */
function look(text: string, known: FileState | undefined) {
  const digest = sha(text);
  const stat = { size: Buffer.byteLength(text), mtime_ms: 1, ctime_ms: 1, ino: 1 };
  if (known?.sha256 === digest) {
    const { change: _change, before: _before, ...same } = known;
    return { files: [{ ...same, stat }], texts: new Map<string, Uint8Array>() };
  }
  const before =
    known === undefined
      ? {}
      : {
          before: {
            state: 'text' as const,
            sha256: known.sha256,
            size: known.stat?.size ?? 0,
            text: known.text,
          },
        };
  const file: FileState = {
    path: 'a.txt',
    role: 'declared',
    state: 'text',
    sha256: digest,
    stat,
    text: null,
    change: known === undefined ? 'added' : 'modified',
    ...before,
  };
  return { files: [file], texts: new Map([['a.txt', Buffer.from(text)]]) };
}

export function namesIn(io: SpoolIo, folder: string): string[] {
  try {
    return io.readdirSync(folder);
  } catch {
    return [];
  }
}

export function readFile(io: SpoolIo, file: string): string {
  const fd = io.openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(io.fstatSync(fd).size);
    io.readSync(fd, bytes, 0, bytes.length, 0);
    return bytes.toString('utf8');
  } finally {
    io.closeSync(fd);
  }
}
