import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../contract/failure.ts';
import type { EventSummary } from '../contract/judged-event.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { chooseEvaluator, type EvaluatorFor } from '../evaluate/choose-evaluator.ts';
import { criterionOnce } from '../goal/bind-criterion.ts';
import { type JudgedClaim, judgeRecordedClaims } from '../goal/judge-recorded-claims.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { acquireDrainLock, type DrainLock } from '../spool/drain-lock.ts';
import { replaceFile } from '../spool/durable-file.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';
import { drainPass } from './drain.ts';
import { readDrainMode } from './drain-mode.ts';
import { sweepStaging } from './sweep-staging.ts';
import { TextCache } from './transition-input.ts';

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
  /** Who judges; left out: whom the configuration names. */
  readonly evaluatorOf?: (loaded: LoadedObserver) => EvaluatorFor;
}

export interface DrainOutcome {
  readonly status: 'drained' | 'busy' | 'off' | 'lost_lock';
  readonly processed: readonly EventSummary[];
  readonly remaining: number;
  /** Claims that were recorded while an obligation was open. */
  readonly claims: readonly JudgedClaim[];
}

/** Drains once, or for as long as asked, as the only drainer of this observer. */
export async function runDrain(request: DrainRequest): Promise<Result<DrainOutcome, Failure>> {
  const { loaded } = request;
  if (loaded.config.mode === 'off') return ok({ status: 'off', processed: [], remaining: 0, claims: [] });
  const lock = await acquireDrainLock(loaded.state, loaded.layout);
  if (lock === null) return ok({ status: 'busy', processed: [], remaining: 0, claims: [] });
  const refusal = whyNotHere(loaded);
  if (refusal) {
    await lock.release();
    return fail(refusal);
  }
  try {
    sweepStaging(loaded);
    return await watch(request, lock);
  } finally {
    noteRun(request);
    await lock.release();
  }
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
  const { signal, clock, watchMs, pollMs } = request;
  const start = clock();
  const cache = new TextCache(nodeIo, request.loaded.layout);
  const processed: EventSummary[] = [];
  const evaluatorOf = request.evaluatorOf ?? configured(request);
  const claims: JudgedClaim[] = [];
  for (let { loaded } = request; ; ) {
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
    });
    processed.push(...result.processed);
    const { remaining } = result;
    if (result.lostLock) return ok({ status: 'lost_lock', processed, remaining, claims });
    if (result.outdated && !signal.aborted) {
      const reloaded = request.reload();
      if (!reloaded.ok) return reloaded;
      loaded = reloaded.value;
      if (loaded.config.mode === 'off') return ok({ status: 'off', processed, remaining, claims });
      continue;
    }
    const over = watchMs === null || signal.aborted || processed.length >= request.max;
    if (over || (watchMs > 0 && clock() - start >= watchMs))
      return ok({ status: 'drained', processed, remaining, claims });
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
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

/** Leaves word for `status` that a drain was here. */
export function noteRun({ loaded: { layout }, now }: Pick<DrainRequest, 'loaded' | 'now'>): void {
  const text = `${JSON.stringify({ last_run_at: new Date(now()).toISOString() })}\n`;
  replaceFile(nodeIo, layout.drainState, Buffer.from(text), { staging: layout.staging });
}
