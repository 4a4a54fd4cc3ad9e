import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../../contract/failure.ts';
import { ok, type Result } from '../../contract/result.ts';
import { retainHourly } from '../../drain/retain.ts';
import { type DrainRequest, noteRun } from '../../drain/run-drain.ts';
import { underDrainLock } from '../../drain/under-drain-lock.ts';
import type { DrainLock } from '../../spool/drain-lock.ts';
import type { SpoolNotice } from './agree-on-spool.ts';
import { noProgress, type Progress, type SessionRequest, ShipSession } from './ship-session.ts';

const MAX_PAUSE_MS = 30_000;

/** While watching: the database does not answer; the spool keeps growing and the next try is in `retry_ms`. */
export interface DatabaseNotice {
  readonly notice: 'database_unreachable';
  readonly detail: string;
  readonly retry_ms: number;
}

export type ShipNotice = SpoolNotice | DatabaseNotice;

export interface ShipRequest
  extends SessionRequest,
    Pick<DrainRequest, 'watchMs' | 'pollMs' | 'labelledIds'> {
  readonly onNotice: (notice: ShipNotice) => void;
}

export interface ShipOutcome extends Progress {
  readonly status: 'shipped' | 'busy' | 'off' | 'lost_lock';
}

/**
 * The other half of drain (design §10): ships the spool and publishes what comes back, under the same lock. Reasons:
 * drain_mode_local, those of the database, of {@link underDrainLock}, and those of an observer that is loaded anew.
 */
export async function runShip(request: ShipRequest): Promise<Result<ShipOutcome, Failure>> {
  const { loaded, signal } = request;
  if (loaded.config.mode === 'off') return ok({ status: 'off', ...noProgress });
  const shipped = await underDrainLock(loaded, { signal }, async (lock) => {
    const session = new ShipSession(request, lock);
    try {
      const outcome = await watch(request, session, lock);
      if (outcome.ok) noteRun(request);
      return outcome;
    } finally {
      await session.close();
    }
  });
  return shipped === 'busy' ? ok({ status: 'busy', ...noProgress }) : shipped;
}

async function watch(
  request: ShipRequest,
  session: ShipSession,
  lock: DrainLock,
): Promise<Result<ShipOutcome, Failure>> {
  const { signal, clock, watchMs, pollMs, onNotice } = request;
  const retain = retainHourly(request);
  const start = clock();
  const isOver = (): boolean =>
    watchMs === null || signal.aborted || (watchMs > 0 && clock() - start >= watchMs);
  for (let failures = 0; ; ) {
    retain();
    const exchanged = await session.exchange();
    if (exchanged.ok) {
      failures = 0;
      const status = lock.isLost() ? 'lost_lock' : exchanged.value;
      if (isOver() || status !== 'shipped') return ok({ status, ...session.progress });
    } else {
      const { reason, detail = '' } = exchanged.failure;
      if (isOver() || reason !== 'database_unreachable') return exchanged;
      failures += 1;
      await session.close();
      onNotice({ notice: reason, detail, retry_ms: pauseMs(pollMs, failures) });
    }
    await sleep(pauseMs(pollMs, failures), undefined, { signal }).catch(() => undefined);
  }
}

/** Twice as long after every failure in a row. */
const pauseMs = (pollMs: number, failures: number): number => Math.min(MAX_PAUSE_MS, pollMs * 2 ** failures);
