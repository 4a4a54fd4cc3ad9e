import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../contract/config.ts';
import type { Failure } from '../contract/failure.ts';
import type { EventSummary } from '../contract/judged-event.ts';
import type { Receipt } from '../contract/receipt.ts';
import { ok, type Result } from '../contract/result.ts';
import { runDrain } from '../drain/run-drain.ts';
import { judgeOutcome } from '../evaluate/system-one/evaluate-system-one.ts';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { deriveSignals } from '../sentinel/derive-signals.ts';
import { normalizeReceipt } from '../sentinel/normalize-receipt.ts';
import { type AnswerSource, type CaseJudge, createCaseJudge } from './case-judge.ts';
import { type CaseObserver, observeCase, turnOf } from './case-observer.ts';
import type { LoadedCase } from './load-matrix.ts';
import type { ExecutionKind, PlayedCase, PlayedRound } from './played-case.ts';

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
  /** Called after each round that was refreshed. */
  readonly onRound: () => void;
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
    request.onRound();
  }
  const pending = readReceipts(observed.value.loaded);
  const judge = createCaseJudge({
    source: request.source,
    caseId: definition.case_id,
    roundOf: (eventId) => roundOf(definition.case_id, pending, eventId),
    env,
    now,
  });
  const summaries = await drainCase(observed.value, judge, request);
  if (!summaries.ok) return summaries;
  return ok(
    collect({
      loadedCase,
      loaded: observed.value.loaded,
      judge,
      summaries: summaries.value,
      source: request.source,
    }),
  );
}

function roundOf(caseId: string, receipts: readonly Receipt[], eventId: string): number | null {
  const turn = receipts.find((receipt) => receipt.event_id === eventId)?.run.turn_instance_id;
  return turn?.startsWith(turnOf(caseId, 0).slice(0, -1)) ? Number(/\d+$/.exec(turn)?.[0]) : null;
}

async function drainCase(
  { loaded }: CaseObserver,
  judge: CaseJudge,
  { env, now, clock, signal }: PlayRequest,
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
    onEvent: () => undefined,
    evaluatorOf: judge.evaluatorOf,
  });
  return drained.ok ? ok(drained.value.processed) : drained;
}

interface Collected {
  readonly loadedCase: LoadedCase;
  readonly loaded: LoadedObserver;
  readonly judge: CaseJudge;
  readonly summaries: readonly EventSummary[];
  readonly source: AnswerSource;
}

function collect({ loadedCase: { definition }, loaded, judge, summaries, source }: Collected): PlayedCase {
  const turns = definition.rounds.map((_, n) => turnOf(definition.case_id, n + 1));
  const [receipts, rows] = [readReceipts(loaded), readRows(loaded)];
  const ofRound = turns.map((turn) => receipts.find(({ run }) => run.turn_instance_id === turn) ?? null);
  const played = (given: readonly (Receipt | null)[]): PlayedCase => ({
    definition,
    contractRevision: loaded.contractRevision,
    rows: turns.map((turn) => rows.find((row) => row['turn_instance_id'] === turn) ?? null),
    receipts: given,
    rounds: given.map((receipt, n) => roundFrom(n + 1, receipt, summaries, source)),
    atThreshold: (t) => played(ofRound.map((receipt) => receipt && receiptAt(receipt, t, { loaded, judge }))),
  });
  return played(ofRound);
}

/** What capture decided by itself; such a round shows the word of the capture. */
const decidedAtCapture = ['no_delta', 'baseline_reset', 'branch_changed', 'overlapping_captures'];

function roundFrom(
  round: number,
  receipt: Receipt | null,
  summaries: readonly EventSummary[],
  source: AnswerSource,
): PlayedRound {
  const judgedBy = summaries.find(({ event_id }) => event_id === receipt?.event_id)?.evaluator ?? null;
  const ns = receipt?.timing_ns['evaluate'];
  return {
    round,
    status: statusOf(receipt),
    reason: receipt?.reason ?? null,
    evaluator: judgedBy,
    execution: executionOf(judgedBy, source),
    judgments: receipt?.judgments ?? { choice: null, noul: null },
    drift_signal: receipt?.drift_signal ?? { noul: null, choice: null },
    assessment_ms: ns === undefined ? null : ns / 1e6,
    usage: receipt?.usage ?? null,
  };
}

function statusOf(receipt: Receipt | null): string {
  if (receipt === null) return 'not_captured';
  return receipt.reason !== null && decidedAtCapture.includes(receipt.reason)
    ? receipt.reason
    : receipt.status;
}

function executionOf(evaluator: string | null, { kind }: AnswerSource): ExecutionKind {
  if (evaluator === null) return 'none';
  if (evaluator === 'structural') return 'offline';
  return kind === 'live' ? 'live_provider_recording' : 'recorded_replay';
}

/** The receipt as it would say at another threshold: a saved answer is judged again, other judgments stand. */
function receiptAt(
  receipt: Receipt,
  labelThreshold: number,
  { loaded, judge }: Pick<Collected, 'loaded' | 'judge'>,
): Receipt {
  const answered = judge.answerFor(receipt.event_id);
  const options = loaded.config.system_one;
  const again =
    answered && options
      ? judgeOutcome({ options, labelThreshold }, answered.outcome, answered.history)
      : receipt;
  const { status, reason, judgments } = again;
  return {
    ...receipt,
    status,
    reason,
    judgments,
    label_probability_threshold: labelThreshold,
    drift_signal: deriveSignals({
      judgments,
      status,
      threshold: labelThreshold,
      rule: receipt.signal_rule_version,
    }),
  };
}

function readReceipts({ goal }: LoadedObserver): Receipt[] {
  return readdirSync(goal.receipts).flatMap((name) => {
    const parsed = parseStrictJson(readFileSync(join(goal.receipts, name), 'utf8'));
    const normal = parsed.ok ? normalizeReceipt({ receipt: parsed.value }) : null;
    return normal?.ok ? [normal.receipt as unknown as Receipt] : [];
  });
}

function readRows({ goal }: LoadedObserver): JsonObject[] {
  return readFileSync(goal.index, 'utf8')
    .split('\n')
    .map((line) => parseStrictJson(line))
    .flatMap((parsed) => (parsed.ok && isJsonObject(parsed.value) ? [parsed.value] : []));
}
