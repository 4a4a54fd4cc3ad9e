import type { CommandRecord, DriftEvent, RunBinding } from '../contract/event.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import { captureReceipt } from '../receipts/capture-receipt.ts';
import { findDetour } from '../receipts/find-detour.ts';
import { publishAtCapture } from '../receipts/publish-receipt.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { type GoalLayout, goalLayout } from '../spool/state-layout.ts';
import { addToTally, duplicateTally } from '../spool/tally.ts';
import { readSmallFile } from './binding.ts';
import { CaptureFailed } from './capture-failed.ts';
import type { Session } from './capture-session.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { enqueueCapture } from './enqueue-capture.ts';
import { appendGenericRun } from './generic-run.ts';
import { identifyLoopxRun } from './loopx-run.ts';
import { refuseLowSpace } from './preconditions.ts';
import type { RefreshReport } from './refresh-report.ts';

const MAX_VISION_BYTES = 65_536;

/**
 * Binds the transition to its run, adds it to the chain and publishes its pending receipt (design §6.4–6.6). Throws
 * {@link CaptureFailed} or what the filesystem reports.
 */
export function recordTransition(session: Session, outcome: CommandOutcome): RefreshReport {
  const goal = goalOf(session);
  if (findDetour(goal) !== null) throw new CaptureFailed('runtime_replaced');
  const command = commandRecord(session, outcome);
  const identified = session.host === 'loopx' ? identifyRun(session, outcome) : null;
  if (identified && 'report' in identified) return identified.report;
  const run = identified?.run ?? appendRun(session, command);
  refuseLowSpace(session.state);
  const result = enqueueCapture(session, { run, command });
  if (result.status === 'contended') throw new CaptureFailed('contended');
  if (result.status === 'declined') {
    addToTally(nodeIo, session.layout, duplicateTally);
    return { outcome: 'duplicate_event', reason: null };
  }
  publish(session, goal, result.event);
  const { event_id, sequence, status } = result.event;
  return { outcome: 'captured', reason: status, event_id, sequence };
}

const goalOf = ({ binding: { observer } }: Session): GoalLayout =>
  goalLayout(observer.runtime_root, observer.goal_id);

/** Keyed by what nobody outside the state knows: words that hold a short secret cannot be found by trying. */
const commandRecord = ({ command, binding }: Session, outcome: CommandOutcome): CommandRecord => ({
  argv_digest: sha256([binding.observer.observer_id, ...command].join('\0')),
  exit_code: outcome.exitCode,
  signal: outcome.signal,
  duration_ms: Math.round(outcome.durationMs),
});

function identifyRun(
  session: Session,
  outcome: CommandOutcome,
): { readonly run: RunBinding } | { readonly report: RefreshReport } {
  const identified = identifyLoopxRun(outcome, {
    goalId: session.binding.observer.goal_id,
    command: session.command,
    index: goalOf(session).index,
    indexSize: session.indexSize,
  });
  if ('failed' in identified) throw new CaptureFailed(identified.failed);
  return 'run' in identified ? identified : { report: { outcome: identified.noRun, reason: null } };
}

function appendRun(session: Session, command: CommandRecord): RunBinding {
  const { agentId, todoId, turnId, claim, vision } = session.options;
  return appendGenericRun(goalOf(session), {
    goalId: session.binding.observer.goal_id,
    agentId,
    todoId,
    turnId,
    command,
    claim,
    vision: vision === null ? undefined : readVision(vision),
    now: Date.now(),
  });
}

function readVision(file: string): unknown {
  const parsed = parseStrictJson(readSmallFile(file, MAX_VISION_BYTES)?.toString('utf8') ?? '');
  return parsed.ok ? parsed.value : undefined;
}

/** The event is durable; a receipt that cannot be written now is published by drain. */
function publish({ binding }: Session, goal: GoalLayout, event: DriftEvent): void {
  const receipt = captureReceipt(event, {
    threshold: binding.threshold,
    signalRule: binding.signalRule,
    recordedAt: Date.now() / 1_000,
  });
  try {
    if (receipt) publishAtCapture(nodeIo, goal, receipt);
  } catch {
    // Drain makes up for it.
  }
}
