import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../contract/failure.ts';
import type { EventSummary } from '../contract/judged-event.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { chooseEvaluator, type EvaluatorFor } from '../evaluate/choose-evaluator.ts';
import { criterionOnce } from '../goal/bind-criterion.ts';
import { type JudgedClaim, judgeRecordedClaims } from '../goal/judge-recorded-claims.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import type { DrainLock } from '../spool/drain-lock.ts';
import { replaceFile } from '../spool/durable-file.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';
import { type DrainEnd, drainPass } from './drain.ts';
import { readDrainMode } from './drain-mode.ts';
import { republish } from './republish.ts';
import { acceptRollback } from './resume.ts';
import { retainHourly } from './retain.ts';
import { TextCache } from './transition-input.ts';
import { underDrainLock } from './under-drain-lock.ts';

export interface DrainRequest {
  readonly loaded: LoadedObserver;
  /** Loads the observer anew when its configuration or basis has changed. */
  readonly reload: () => Result<LoadedObserver, Failure>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly max: number;
  /** Null: one pass. 0: watch until the signal. */
  readonly watchMs: number | null;
  readonly pollMs: number;
  /** Aborted: finish the event in hand and end. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: EventSummary, remaining: number) => void;
  /** Called before a wait for a lock whose time lies in the future, with its length in milliseconds. */
  readonly onWait?: ((ms: number) => void) | undefined;
  /** Go on from what is there, though entries that were judged are missing. */
  readonly acceptLoss?: boolean | undefined;
  /** The events that the owner has labelled; their texts go before those of others. Left out: every text stays. */
  readonly labelledIds?: (() => ReadonlySet<string>) | undefined;
  /** First write anew what is missing of what earlier drains have published. */
  readonly republish?: boolean | undefined;
  /** Who judges; left out: whom the configuration names. */
  readonly evaluatorOf?: (loaded: LoadedObserver) => EvaluatorFor;
}

export interface DrainOutcome {
  readonly status: 'drained' | 'busy' | 'off' | 'lost_lock';
  readonly processed: readonly EventSummary[];
  readonly remaining: number;
  /** Claims that were recorded while an obligation was open. */
  readonly claims: readonly JudgedClaim[];
  /** Receipts that were missing and are there again; left out where nobody asked. */
  readonly republished?: number;
}

/**
 * Drains once, or for as long as asked, as the only drainer of this observer. Reasons: those of
 * {@link underDrainLock}, drain_mode_shipped, receipt_conflict, state_rolled_back, and those of loading the observer anew.
 */
export async function runDrain(request: DrainRequest): Promise<Result<DrainOutcome, Failure>> {
  const { loaded, signal, onWait } = request;
  const nothing = { processed: [], remaining: 0, claims: [] };
  if (loaded.config.mode === 'off') return ok({ status: 'off', ...nothing });
  const drained = await underDrainLock(loaded, { signal, onWait }, async (lock) => {
    const refusal = whyNotHere(loaded);
    if (refusal) return fail(refusal);
    if (request.acceptLoss) acceptRollback(nodeIo, loaded.layout);
    const republished = request.republish ? republish(nodeIo, loaded, request.now()) : undefined;
    const outcome = await watch(request, lock);
    noteRun(request);
    return outcome.ok && republished !== undefined ? ok({ ...outcome.value, republished }) : outcome;
  });
  return drained === 'busy' ? ok({ status: 'busy', ...nothing }) : drained;
}

/** Read with the lock held: whoever changes the mode holds it too. */
function whyNotHere({ layout }: LoadedObserver): Failure | null {
  const mode = readDrainMode(layout);
  if (!mode.ok) return mode.failure;
  return mode.value.mode === 'local' ? null : { reason: 'drain_mode_shipped', file: layout.drainMode };
}

const configured =
  ({ env, now }: DrainRequest) =>
  ({ config, layout }: LoadedObserver): EvaluatorFor =>
    chooseEvaluator(config, { requestFolder: layout.requests, env, now });

async function watch(request: DrainRequest, lock: DrainLock): Promise<Result<DrainOutcome, Failure>> {
  const { signal, clock, pollMs } = request;
  const start = clock();
  const cache = new TextCache(nodeIo, request.loaded.layout);
  const processed: EventSummary[] = [];
  const evaluatorOf = request.evaluatorOf ?? configured(request);
  const claims: JudgedClaim[] = [];
  const retain = retainHourly(request);
  for (let { loaded } = request; ; ) {
    retain();
    claims.push(...judgeClaims(request, loaded));
    const result = await drainPass({
      io: nodeIo,
      bench: {
        loaded,
        evaluatorFor: evaluatorOf(loaded),
        cache,
        criterion: criterionOnce(loaded),
        now: request.now,
        clock,
      },
      lock,
      max: request.max - processed.length,
      shouldStop: () => signal.aborted,
      onEvent: request.onEvent,
      adopts: request.acceptLoss,
    });
    processed.push(...result.processed);
    const { remaining } = result;
    const { ended } = result;
    const refusal = refusalOf(ended, loaded);
    if (refusal !== null) return fail(refusal);
    if (ended?.why === 'lost_lock') return ok({ status: 'lost_lock', processed, remaining, claims });
    if (ended?.why === 'outdated' && !signal.aborted) {
      const reloaded = request.reload();
      if (!reloaded.ok) return reloaded;
      loaded = reloaded.value;
      if (loaded.config.mode === 'off') return ok({ status: 'off', processed, remaining, claims });
      continue;
    }
    if (isOver(request, { start, processed })) return ok({ status: 'drained', processed, remaining, claims });
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

function isOver(
  { signal, clock, watchMs, max }: DrainRequest,
  { start, processed }: { readonly start: number; readonly processed: readonly EventSummary[] },
): boolean {
  if (watchMs === null || signal.aborted || processed.length >= max) return true;
  return watchMs > 0 && clock() - start >= watchMs;
}

/** What the owner has to decide before a drain can go on; null where it can. */
export function refusalOf(ended: DrainEnd | null, { layout }: LoadedObserver): Failure | null {
  if (ended?.why === 'conflict') return { reason: 'receipt_conflict', file: ended.file };
  if (ended?.why !== 'rolled_back') return null;
  const detail = `entries up to ${ended.judged} were judged, the newest here is ${ended.tail}`;
  return { reason: 'state_rolled_back', file: layout.events, detail };
}

/** A run history that cannot be written keeps its claims for the next pass; judging events goes on. */
export function judgeClaims({ env }: Pick<DrainRequest, 'env'>, loaded: LoadedObserver): JudgedClaim[] {
  try {
    return judgeRecordedClaims(loaded, { env, cwd: loaded.observer.workspace });
  } catch (error) {
    if (errorCode(error)) return [];
    throw error;
  }
}

/** Leaves word for `status` that a drain was here; a disk that is full or read-only has been spoken of already. */
export function noteRun({ loaded: { layout }, now }: Pick<DrainRequest, 'loaded' | 'now'>): void {
  const text = `${JSON.stringify({ last_run_at: new Date(now()).toISOString() })}\n`;
  try {
    replaceFile(nodeIo, layout.drainState, Buffer.from(text), { staging: layout.staging });
  } catch (error) {
    if (!errorCode(error)) throw error;
  }
}
