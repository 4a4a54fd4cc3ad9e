import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../contract/failure.ts';
import type { EventSummary } from '../contract/judged-event.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { chooseEvaluator } from '../evaluate/choose-evaluator.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { acquireDrainLock, type DrainLock } from '../spool/drain-lock.ts';
import { replaceFile } from '../spool/durable-file.ts';
import { nodeIo } from '../spool/spool-io.ts';
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
}

export interface DrainOutcome {
  readonly status: 'drained' | 'busy' | 'off' | 'lost_lock';
  readonly processed: readonly EventSummary[];
  readonly remaining: number;
}

/** Drains once, or for as long as asked, as the only drainer of this observer. */
export async function runDrain(request: DrainRequest): Promise<Result<DrainOutcome, Failure>> {
  const { loaded } = request;
  if (loaded.config.mode === 'off') return ok({ status: 'off', processed: [], remaining: 0 });
  const lock = await acquireDrainLock(loaded.state, loaded.layout);
  if (lock === null) return ok({ status: 'busy', processed: [], remaining: 0 });
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

async function watch(request: DrainRequest, lock: DrainLock): Promise<Result<DrainOutcome, Failure>> {
  const { signal, clock, watchMs, pollMs } = request;
  const start = clock();
  const cache = new TextCache(nodeIo, request.loaded.layout);
  const processed: EventSummary[] = [];
  for (let { loaded } = request; ; ) {
    const result = await drainPass({
      io: nodeIo,
      bench: { loaded, evaluate: chooseEvaluator(loaded.config), cache, now: request.now, clock },
      lock,
      max: request.max - processed.length,
      shouldStop: () => signal.aborted,
      onEvent: request.onEvent,
    });
    processed.push(...result.processed);
    const { remaining } = result;
    if (result.lostLock) return ok({ status: 'lost_lock', processed, remaining });
    if (result.outdated && !signal.aborted) {
      const reloaded = request.reload();
      if (!reloaded.ok) return reloaded;
      loaded = reloaded.value;
      if (loaded.config.mode === 'off') return ok({ status: 'off', processed, remaining });
      continue;
    }
    const over = watchMs === null || signal.aborted || processed.length >= request.max;
    if (over || (watchMs > 0 && clock() - start >= watchMs))
      return ok({ status: 'drained', processed, remaining });
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Leaves word for `status` that a drain was here. */
export function noteRun({ loaded: { layout }, now }: Pick<DrainRequest, 'loaded' | 'now'>): void {
  const text = `${JSON.stringify({ last_run_at: new Date(now()).toISOString() })}\n`;
  replaceFile(nodeIo, layout.drainState, Buffer.from(text), { staging: layout.staging });
}
