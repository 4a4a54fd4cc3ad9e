import { realpathSync, statSync } from 'node:fs';
import type { CommandRecord, RunBinding, SessionLogNote } from '../contract/event.ts';
import { type Draft, type Enqueued, enqueue } from '../spool/enqueue.ts';
import { randomBytes, sha256 } from '../spool/lazy-crypto.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { countFailures, readTally } from '../spool/tally.ts';
import { isWaiting } from '../spool/waiting.ts';
import { CaptureFailed } from './capture-failed.ts';
import type { Session } from './capture-session.ts';
import { composeEvent, eventIdOf, type Observed } from './compose-event.ts';
import { readGitRef } from './git-ref.ts';
import { monotonicMs } from './monotonic-ms.ts';
import { readRevision, refuseOtherWorkspace } from './preconditions.ts';
import type { Snapshot, SnapshotTaken } from './snapshot.ts';
import { snapshotAgainst } from './snapshot-against.ts';

const ENQUEUE_BUDGET_MS = 2_000;

/** Composes against whatever the newest entry is at each attempt, looking at the files anew when it moved. */
export function enqueueCapture(
  session: Session,
  { run, command }: { readonly run: RunBinding; readonly command: CommandRecord },
): Enqueued<'duplicate_event'> {
  const { binding, layout } = session;
  const nonce = randomBytes(16).toString('hex');
  const configDigest = sha256(binding.configBytes);
  const contractRevision = readRevision(binding.observer.basis_file);
  const sessionLog = noteSessionLog(session.options.sessionLog);
  return enqueue<'duplicate_event'>(
    nodeIo,
    layout,
    (tail, seen) => {
      if (seen.event(eventIdOf({ run, observer: binding.observer, nonce })))
        return { declined: 'duplicate_event' };
      const capturedAt = new Date().toISOString();
      const snapshot = usable(snapshotAgainst(binding, tail));
      refuseOtherWorkspace(binding.observer.workspace, session.workspace);
      refuseChangeDuringCommand(session, snapshot);
      const observed: Observed = {
        observer: binding.observer,
        contractRevision,
        configDigest,
        evaluator: binding.evaluator,
        host: session.host,
        capturedAt,
        run,
        command,
        ...(sessionLog ? { sessionLog } : {}),
        waiting: isWaiting(session.state),
        git: readGitRef(binding.observer.workspace),
        snapshot,
        tailAtStart: session.tailAtStart,
        failuresSeen: countFailures(readTally(layout)),
        nonce,
      };
      const draft = composeEvent(observed, tail, seen);
      refuseLargeDelta(draft, binding.scope.max_delta_bytes);
      return { draft };
    },
    { now: monotonicMs, budgetMs: ENQUEUE_BUDGET_MS, pause: block },
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

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
