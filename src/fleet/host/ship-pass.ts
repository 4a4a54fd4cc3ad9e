import type { Pool } from 'pg';
import type { ShippedMode } from '../../contract/drain-mode.ts';
import type { Failure } from '../../contract/failure.ts';
import type { EventSummary } from '../../contract/judged-event.ts';
import { drainPass } from '../../drain/drain.ts';
import { isCurrent } from '../../drain/judge-event.ts';
import { judgeClaims, refusalOf } from '../../drain/run-drain.ts';
import { TextCache } from '../../drain/transition-input.ts';
import { criterionOnce } from '../../goal/bind-criterion.ts';
import type { JudgedClaim } from '../../goal/judge-recorded-claims.ts';
import { type LoadedObserver, loadBasis } from '../../observer/load-observer.ts';
import { readCursor } from '../../spool/cursor.ts';
import type { DrainLock } from '../../spool/drain-lock.ts';
import type { SpoolIo } from '../../spool/spool-io.ts';
import { findTail } from '../../spool/tail.ts';
import { agreeOnSpool, type SpoolNotice } from './agree-on-spool.ts';
import { composeBatch } from './batch.ts';
import { pushBatch } from './push-batch.ts';
import { fetchResults } from './receive.ts';
import { advanceShippedCursor, readShippedCursor, resetShippedCursor } from './shipped-cursor.ts';

/** One exchange of a host with the database. */
export interface ShipPass {
  readonly io: SpoolIo;
  readonly pool: Pool;
  readonly loaded: LoadedObserver;
  readonly mode: ShippedMode;
  readonly host: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly lock: Pick<DrainLock, 'isLost'>;
  readonly shouldStop: () => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly onEvent: (event: EventSummary, remaining: number) => void;
  readonly onNotice: (notice: SpoolNotice) => void;
}

export interface ShipPassResult {
  readonly shipped: number;
  readonly received: readonly EventSummary[];
  /** Claims that were recorded while an obligation was open. */
  readonly claims: readonly JudgedClaim[];
  /** Entries that the database does not hold yet. */
  readonly unshipped: number;
  /** Queued events that it holds and has not answered for. */
  readonly awaiting: number;
  /** Configuration, basis or the agreement changed under the pass; load anew and go on. */
  readonly outdated: boolean;
  /** What the owner has to decide before anything more is published here; null where there is nothing. */
  readonly refusal: Failure | null;
}

/**
 * Sends what the database lacks, then publishes what has come back, in this order: the outbox cursor moves after COMMIT,
 * the drain cursor after publication, so that a kill or a cut anywhere costs at most a repetition that changes nothing.
 */
export async function shipPass(pass: ShipPass): Promise<ShipPassResult> {
  const { io, pool, loaded, host } = pass;
  const basisText = readBasisText(loaded);
  if (basisText === null || !isCurrent(loaded))
    return { shipped: 0, received: [], claims: [], unshipped: 0, awaiting: 0, outdated: true, refusal: null };
  const shippedThrough = readShippedCursor(io, loaded.layout);
  const side = { io, loaded, basisText, host, shippedThrough };
  const { mode, storedThrough, notice } = await agreeOnSpool(pool, side, pass.mode);
  if (notice) {
    pass.onNotice(notice);
    resetShippedCursor(io, loaded.layout, storedThrough);
  }
  const sent = await sendBacklog(pass, mode, storedThrough);
  // A claim is judged before new verdicts are published, as the local drain does it.
  const claims = judgeClaims(pass, loaded);
  const received = await receiveResults(pass, mode, sent.through);
  const tail = findTail(io, loaded.layout);
  await pool.query('SELECT drift_fleet.report($1, $2, $3)', [
    mode.spool_id,
    tail,
    readCursor(io, loaded.layout) ?? -1,
  ]);
  return {
    shipped: sent.through - storedThrough,
    received: received.processed,
    claims,
    unshipped: tail - sent.through,
    awaiting: received.remaining,
    outdated: sent.outdated || received.outdated,
    refusal: received.refusal,
  };
}

/** The bytes behind the contract revision; null when the file has changed since. */
function readBasisText({ observer, contractRevision }: LoadedObserver): string | null {
  const basis = loadBasis(observer.basis_file);
  return basis.ok && basis.value.revision === contractRevision ? basis.value.bytes.toString('utf8') : null;
}

const goesOn = ({ lock, shouldStop }: ShipPass): boolean => !lock.isLost() && !shouldStop();

async function sendBacklog(
  pass: ShipPass,
  { spool_id: spoolId }: ShippedMode,
  storedThrough: number,
): Promise<{ readonly through: number; readonly outdated: boolean }> {
  const { io, pool, loaded } = pass;
  let through = storedThrough;
  if (readShippedCursor(io, loaded.layout) < through) advanceShippedCursor(io, loaded.layout, through);
  while (goesOn(pass)) {
    const batch = composeBatch(io, loaded, { from: through + 1, tail: findTail(io, loaded.layout) });
    const last = batch.shipments.at(-1);
    if (last === undefined) break;
    // Staleness was read from the files, basis and terms from memory: they agree only while nothing has changed.
    if (!isCurrent(loaded)) return { through, outdated: true };
    if ((await pushBatch(pool, { io, loaded, spoolId }, batch)) === 'moved')
      return { through, outdated: true };
    through = last.sequence;
    advanceShippedCursor(io, loaded.layout, through);
  }
  return { through, outdated: false };
}

interface Receiving {
  readonly processed: EventSummary[];
  readonly remaining: number;
  readonly outdated: boolean;
  readonly refusal: Failure | null;
}

async function receiveResults(
  pass: ShipPass,
  { spool_id: spoolId }: ShippedMode,
  through: number,
): Promise<Receiving> {
  const { io, pool, loaded } = pass;
  const processed: EventSummary[] = [];
  for (;;) {
    const after = readCursor(io, loaded.layout) ?? -1;
    const { results, isFull } = await fetchResults(pool, pass, { spoolId, after });
    const drained = await drainPass({
      io,
      bench: {
        loaded,
        evaluatorFor: judgesNothing,
        cache: new TextCache(io, loaded.layout),
        criterion: criterionOnce(loaded),
        now: pass.now,
        clock: pass.clock,
      },
      lock: pass.lock,
      max: Number.POSITIVE_INFINITY,
      shouldStop: pass.shouldStop,
      onEvent: pass.onEvent,
      elsewhere: { through, resultOf: ({ event }) => results.get(event.sequence) ?? null },
    });
    processed.push(...drained.processed);
    const { remaining, ended } = drained;
    const outdated = ended?.why === 'outdated';
    const refusal = refusalOf(ended, loaded);
    if (!isFull || outdated || refusal || drained.processed.length === 0 || !goesOn(pass))
      return { processed, remaining, outdated, refusal };
  }
}

const judgesNothing = (): never => {
  throw new Error('a shipped event was about to be judged on this machine');
};
