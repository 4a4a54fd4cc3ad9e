import type { MatrixCase } from '../contract/comparison.ts';
import type { Config } from '../contract/config.ts';
import type { Failure } from '../contract/failure.ts';
import type { EventSummary } from '../contract/judged-event.ts';
import { ok, type Result } from '../contract/result.ts';
import { runDrain } from '../drain/run-drain.ts';
import { type AnswerSource, type CaseJudge, createCaseJudge } from './case-judge.ts';
import { type CaseObserver, observeCase, turnOf } from './case-observer.ts';
import { collectCase, receiptsOf } from './collect-case.ts';
import type { LoadedCase } from './load-matrix.ts';
import type { PlayedCase } from './played-case.ts';

export interface PlayRequest {
  /** Private, empty, and removed by whoever made it. */
  readonly folder: string;
  readonly config: Partial<Config>;
  readonly source: AnswerSource;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** Aborted: end after the round in hand. */
  readonly signal: AbortSignal;
  /** Called after each round that was refreshed, and after each that was judged. */
  readonly onStep: () => void;
  /** Lets cases be judged one after the other, so that each judgement has the machine to itself. */
  readonly inTurn: <T>(step: () => Promise<T>) => Promise<T>;
}

/** Plays one case on the real path: files, `drift refresh` per round, drain; then reads what the policy would read. */
export async function playCase(
  loadedCase: LoadedCase,
  request: PlayRequest,
): Promise<Result<PlayedCase, Failure>> {
  const { definition } = loadedCase;
  const { folder, config, env, now, signal } = request;
  const observed = await observeCase(loadedCase, { folder, config, env, now: new Date(now()).toISOString() });
  if (!observed.ok) return observed;
  for (const n of definition.rounds.keys()) {
    if (signal.aborted) break;
    await observed.value.playRound(n + 1);
    request.onStep();
  }
  const judge = createCaseJudge({
    source: request.source,
    caseId: definition.case_id,
    roundOf: roundsByEvent(definition, observed.value),
    env,
    now,
  });
  const summaries = await request.inTurn(() => drainCase(observed.value, judge, request));
  if (!summaries.ok) return summaries;
  return ok(
    collectCase({
      loadedCase,
      loaded: observed.value.loaded,
      judge,
      summaries: summaries.value,
      source: request.source,
    }),
  );
}

/** Which round an event is, by the pending receipts that the refreshes left. */
function roundsByEvent(
  { case_id, rounds }: MatrixCase,
  { loaded }: CaseObserver,
): (eventId: string) => number | null {
  const pending = receiptsOf(loaded);
  return (eventId) => {
    const turn = pending.find((receipt) => receipt.event_id === eventId)?.run.turn_instance_id;
    const index = rounds.findIndex((_, n) => turnOf(case_id, n + 1) === turn);
    return index < 0 ? null : index + 1;
  };
}

async function drainCase(
  { loaded }: CaseObserver,
  judge: CaseJudge,
  { env, now, clock, signal, onStep }: PlayRequest,
): Promise<Result<readonly EventSummary[], Failure>> {
  const drained = await runDrain({
    loaded,
    reload: () => ok(loaded),
    env,
    now,
    clock,
    max: Number.POSITIVE_INFINITY,
    watchMs: null,
    pollMs: 1,
    signal,
    onEvent: onStep,
    evaluatorOf: judge.evaluatorOf,
  });
  return drained.ok ? ok(drained.value.processed) : drained;
}
