import type { DriftEvent } from '../contract/event.ts';
import { enqueue } from '../spool/enqueue.ts';
import { randomBytes } from '../spool/lazy-crypto.ts';
import { nodeIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import { countFailures, readTally } from '../spool/tally.ts';
import { CaptureFailed } from './capture-failed.ts';
import { composeEvent } from './compose-event.ts';
import { readGitRef } from './git-ref.ts';
import { monotonicMs } from './monotonic-ms.ts';
import { snapshotAgainst } from './snapshot-against.ts';

const BUDGET_MS = 10_000;

interface Checkpoint {
  readonly layout: StateLayout;
  readonly binding: Parameters<typeof snapshotAgainst>[0] & { readonly evaluator: string };
  readonly contractRevision: string;
  readonly configDigest: string;
  readonly note?: string;
}

/**
 * Takes the files as they are for the new baseline: the first checkpoint of an observer, or edits made outside the
 * agent. It is an entry of the chain but no transition: nothing is judged, no receipt is written.
 * Throws {@link CaptureFailed} where the files cannot be captured.
 */
export function takeCheckpoint({
  layout,
  binding,
  contractRevision,
  configDigest,
  note,
}: Checkpoint): DriftEvent {
  const nonce = randomBytes(16).toString('hex');
  const result = enqueue<never>(
    nodeIo,
    layout,
    (tail, seen) => {
      const capturedAt = new Date().toISOString();
      const snapshot = snapshotAgainst(binding, tail);
      if ('failed' in snapshot) throw new CaptureFailed(snapshot.failed);
      return {
        draft: composeEvent(
          {
            observer: binding.observer,
            contractRevision,
            configDigest,
            evaluator: binding.evaluator,
            host: 'generic',
            capturedAt,
            run: null,
            command: null,
            ...(note === undefined ? {} : { note }),
            waiting: false,
            git: readGitRef(binding.observer.workspace),
            snapshot,
            tailAtStart: tail?.sequence ?? -1,
            failuresSeen: countFailures(readTally(layout)),
            nonce,
          },
          tail,
          seen,
        ),
      };
    },
    {
      now: monotonicMs,
      budgetMs: BUDGET_MS,
      pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
    },
  );
  if (result.status !== 'enqueued') throw new CaptureFailed('contended');
  return result.event;
}
