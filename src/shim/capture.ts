import { realpathSync, statSync, writeSync } from 'node:fs';
import type { CaptureFailureReason, DriftEvent, RunBinding, SessionLogNote } from '../contract/event.ts';
import { captureReceipt } from '../receipts/capture-receipt.ts';
import { publishAtCapture } from '../receipts/publish-receipt.ts';
import { type Draft, type Enqueued, enqueue, readTail } from '../spool/enqueue.ts';
import { sha256 } from '../spool/event-format.ts';
import { randomBytes } from '../spool/lazy-crypto.ts';
import { locateConfig, locateState } from '../spool/locate-state.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';
import { goalLayout, type StateLayout, stateLayout } from '../spool/state-layout.ts';
import { addToTally, countFailures, duplicateTally, readTally } from '../spool/tally.ts';
import { isWaiting } from '../spool/waiting.ts';
import { type Binding, readBinding, readSmallFile } from './binding.ts';
import { CaptureFailed } from './capture-failed.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { composeEvent, eventIdOf, type Observed } from './compose-event.ts';
import { appendGenericRun } from './generic-run.ts';
import { readGitRef } from './git-ref.ts';
import { identifyLoopxRun, isDryRun, isLoopxRefresh, sizeOfIndex } from './loopx-run.ts';
import {
  identifyWorkspace,
  readRevision,
  refuseLowSpace,
  refuseOtherWorkspace,
  type WorkspaceIdentity,
} from './preconditions.ts';
import { type RefreshOptions, readRefreshOptions } from './refresh-options.ts';
import { diagnose, explain, leaveReport, type RefreshReport } from './refresh-report.ts';
import type { Snapshot, SnapshotTaken } from './snapshot.ts';
import { snapshotAgainst } from './snapshot-against.ts';

const MAX_VISION_BYTES = 65_536;
const ENQUEUE_BUDGET_MS = 2_000;

/** The capture around one wrapped command. Neither step throws, writes to the host's streams or waits for long. */
export interface Capture {
  /** Only a LoopX host says on stdout what it wrote; for any other one, stdout is the command's alone. */
  readonly wantsStdout: boolean;
  /** Called once, when the command has ended and its output has been handed on; before drift itself exits. */
  afterCommand(outcome: CommandOutcome): Promise<void>;
}

interface Session {
  readonly state: string;
  readonly layout: StateLayout;
  readonly binding: Binding;
  readonly options: RefreshOptions;
  readonly command: readonly string[];
  readonly host: 'generic' | 'loopx';
  readonly span: 'turn' | 'refresh';
  readonly workspace: WorkspaceIdentity;
  readonly tailAtStart: number;
  readonly indexSize: number;
  /** Only for the span `refresh`. */
  readonly before: SnapshotTaken | null;
}

/**
 * Finds the observer and takes the before-snapshot; called just before the command starts.
 * Null: nothing to record (no state, `off`, a dry run), so the command only passes through.
 *
 * @param words the words between `refresh` and the first `--`
 * @param command the words after it
 */
export function openCapture(words: readonly string[], command: readonly string[]): Capture | null {
  const options = readRefreshOptions(words, process.env);
  const cwd = workingFolder();
  const state = locateState({ stateDir: options.stateDir, env: process.env, cwd });
  const say = (line: string): void => {
    if (options.explain) writeSync(2, `drift: ${line}\n`);
  };
  for (const word of options.unknown) say(`unknown option ${word}`);
  if (state === null) return passThrough(say, 'no observer found; the command only passes through');
  const layout = stateLayout(state);
  const read = readBinding({
    observer: layout.observer,
    config: locateConfig(state, options.config, { env: process.env, cwd }),
  });
  if ('passThrough' in read) {
    if (read.passThrough !== 'no_observer') quietly(() => diagnose(layout, 'file', read.passThrough));
    return passThrough(say, `${state}: ${read.passThrough}; the command only passes through`);
  }
  const { binding } = read;
  if (binding.mode === 'off')
    return passThrough(say, `${state}: mode is off; the command only passes through`);
  for (const word of options.unknown)
    quietly(() => diagnose(layout, binding.diagnostics, `unknown option ${word}`));
  const host = binding.host === 'auto' ? (isLoopxRefresh(command) ? 'loopx' : 'generic') : binding.host;
  if (host === 'loopx' && (isDryRun(command) || !isLoopxRefresh(command)))
    return passThrough(say, `${state}: nothing that a refresh would write; the command only passes through`);
  const session = openSession({ state, layout, binding, options, command, host });
  return { wantsStdout: host === 'loopx', afterCommand: async (outcome) => finish(session, outcome, say) };
}

function passThrough(say: (line: string) => void, line: string): null {
  say(line);
  return null;
}

type Opening = Pick<Session, 'state' | 'layout' | 'binding' | 'options' | 'command' | 'host'>;

function openSession(opening: Opening): Session {
  const { layout, binding, host } = opening;
  const { observer } = binding;
  const span = binding.span ?? (host === 'loopx' ? 'refresh' : 'turn');
  const tail = readTail(nodeIo, layout);
  return {
    ...opening,
    span,
    workspace: identifyWorkspace(observer.workspace),
    tailAtStart: tail?.sequence ?? -1,
    indexSize: host === 'loopx' ? sizeOfIndex(goalLayout(observer.runtime_root, observer.goal_id).index) : 0,
    before: span === 'refresh' ? snapshotAgainst(binding, tail) : null,
  };
}

/** Records what happened and leaves a report; whatever goes wrong becomes a typed, tallied reason. */
function finish(session: Session, outcome: CommandOutcome, say: (line: string) => void): void {
  const { layout, binding, state } = session;
  let report: RefreshReport;
  try {
    report = record(session, outcome);
  } catch (error) {
    const reason = error instanceof CaptureFailed ? error.reason : failureOf(error);
    quietly(() => addToTally(nodeIo, layout, reason));
    report = { outcome: 'capture_failed', reason };
    quietly(() =>
      diagnose(layout, binding.diagnostics, `capture_failed ${reason} ${errorCode(error) ?? ''}`.trim()),
    );
  }
  quietly(() => leaveReport(layout, report, new Date().toISOString()));
  say(explain(report, state));
}

const failureOf = (error: unknown): CaptureFailureReason => (errorCode(error) ? 'write_failed' : 'internal');

function record(session: Session, outcome: CommandOutcome): RefreshReport {
  const identified = session.host === 'loopx' ? identifyRun(session, outcome) : null;
  if (identified && 'report' in identified) return identified.report;
  const run = identified?.run ?? appendRun(session, outcome);
  refuseLowSpace(session.state);
  refuseOtherWorkspace(session.binding.observer.workspace, session.workspace);
  const io = nodeIo;
  const result = enqueueCapture(session, { run, outcome });
  if (result.status === 'contended') throw new CaptureFailed('contended');
  if (result.status === 'declined') {
    addToTally(io, session.layout, duplicateTally);
    return { outcome: 'duplicate_event', reason: null };
  }
  publish(session, result.event);
  const { event_id, sequence, status } = result.event;
  return { outcome: 'captured', reason: status, event_id, sequence };
}

function identifyRun(
  session: Session,
  outcome: CommandOutcome,
): { readonly run: RunBinding } | { readonly report: RefreshReport } {
  const { goal_id: goalId, runtime_root: root } = session.binding.observer;
  const identified = identifyLoopxRun(outcome, {
    goalId,
    command: session.command,
    index: goalLayout(root, goalId).index,
    indexSize: session.indexSize,
  });
  if ('failed' in identified) throw new CaptureFailed(identified.failed);
  return 'run' in identified ? identified : { report: { outcome: identified.noRun, reason: null } };
}

function appendRun(session: Session, outcome: CommandOutcome): RunBinding {
  const { observer } = session.binding;
  const { agentId, todoId, turnId, claim, vision } = session.options;
  return appendGenericRun(goalLayout(observer.runtime_root, observer.goal_id), {
    goalId: observer.goal_id,
    agentId,
    todoId,
    turnId,
    command: commandRecord(session, outcome),
    claim,
    vision: vision === null ? undefined : readVision(vision),
    now: Date.now(),
  });
}

function readVision(file: string): unknown {
  const bytes = readSmallFile(file, MAX_VISION_BYTES);
  try {
    return bytes === null ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const commandRecord = (session: Session, outcome: CommandOutcome) => ({
  argv_digest: sha256(session.command.join('\0')),
  exit_code: outcome.exitCode,
  signal: outcome.signal,
  duration_ms: Math.round(outcome.durationMs),
});

/** Composes against whatever the newest entry is at each attempt, looking at the files anew when it moved. */
function enqueueCapture(
  session: Session,
  { run, outcome }: { readonly run: RunBinding; readonly outcome: CommandOutcome },
): Enqueued<'duplicate_event'> {
  const { binding, layout } = session;
  const nonce = randomBytes(16).toString('hex');
  const configDigest = sha256(binding.configBytes);
  const contractRevision = readRevision(binding.observer.basis_file);
  const failuresSeen = countFailures(readTally(layout));
  const sessionLog = noteSessionLog(session.options.sessionLog);
  return enqueue<'duplicate_event'>(
    nodeIo,
    layout,
    (tail, seen) => {
      if (seen.event(eventIdOf({ run, observer: binding.observer, nonce })))
        return { declined: 'duplicate_event' };
      const capturedAt = new Date().toISOString();
      const snapshot = usable(snapshotAgainst(binding, tail));
      refuseChangeDuringCommand(session, snapshot);
      const observed: Observed = {
        observer: binding.observer,
        contractRevision,
        configDigest,
        evaluator: binding.evaluator,
        host: session.host,
        capturedAt,
        run,
        command: commandRecord(session, outcome),
        ...(sessionLog ? { sessionLog } : {}),
        waiting: isWaiting(session.state),
        git: readGitRef(binding.observer.workspace),
        snapshot,
        tailAtStart: session.tailAtStart,
        failuresSeen,
        nonce,
      };
      const draft = composeEvent(observed, tail, seen);
      refuseLargeDelta(draft, binding.scope.max_delta_bytes);
      return { draft };
    },
    { now: () => performance.now(), budgetMs: ENQUEUE_BUDGET_MS, pause: block },
  );
}

function usable(taken: SnapshotTaken): Snapshot {
  if ('failed' in taken) throw new CaptureFailed(taken.failed);
  return taken;
}

/** Span `refresh`: the files are the turn's result before the refresh starts, and must not move while it runs. */
function refuseChangeDuringCommand({ before }: Session, after: Snapshot): void {
  if (before === null) return;
  const token = (snapshot: Snapshot): string =>
    JSON.stringify(
      snapshot.files.map(({ path, state, sha256: digest, stat }) => [path, state, digest ?? stat?.size]),
    );
  if (token(usable(before)) !== token(after)) throw new CaptureFailed('changed_during_command');
}

/** Only a change that would be judged has to fit; a new baseline is stored whatever it holds. */
function refuseLargeDelta({ event, texts }: Draft, maxBytes: number): void {
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  if (bytes > maxBytes && event.chain.start !== event.sequence) throw new CaptureFailed('over_budget');
}

function noteSessionLog(file: string | null): SessionLogNote | null {
  if (file === null) return null;
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? { file: realpathSync(file), size: stat.size } : null;
}

function publish({ binding }: Session, event: DriftEvent): void {
  const receipt = captureReceipt(event, {
    threshold: binding.threshold,
    signalRule: binding.signalRule,
    recordedAt: Date.now() / 1_000,
  });
  // The event is durable; a receipt that cannot be written now is published by drain.
  if (receipt)
    quietly(() =>
      publishAtCapture(nodeIo, goalLayout(binding.observer.runtime_root, binding.observer.goal_id), receipt),
    );
}

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function quietly(step: () => void): void {
  try {
    step();
  } catch {
    // Reporting about drift must not become the host's trouble.
  }
}

function workingFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}
