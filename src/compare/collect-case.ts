import type { EventSummary } from '../contract/judged-event.ts';
import type { Receipt } from '../contract/receipt.ts';
import { judgeOutcome } from '../evaluate/system-one/evaluate-system-one.ts';
import { readRunHistory } from '../goal/run-history.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { readReceipts } from '../receipts/read-receipts.ts';
import { deriveSignals } from '../sentinel/derive-signals.ts';
import type { AnswerSource, CaseJudge } from './case-judge.ts';
import { turnOf } from './case-observer.ts';
import type { LoadedCase } from './load-matrix.ts';
import type { ExecutionKind, PlayedCase, PlayedRound } from './played-case.ts';

export interface Collected {
  readonly loadedCase: LoadedCase;
  readonly loaded: LoadedObserver;
  readonly judge: CaseJudge;
  readonly summaries: readonly EventSummary[];
  readonly source: AnswerSource;
}

/** Reads what the policy would read of a case that was drained: its rows and receipts, by round. */
export function collectCase({
  loadedCase: { definition },
  loaded,
  judge,
  summaries,
  source,
}: Collected): PlayedCase {
  const turns = definition.rounds.map((_, n) => turnOf(definition.case_id, n + 1));
  const receipts = receiptsOf(loaded);
  const { rows } = readRunHistory(loaded.goal.index, loaded.observer.goal_id);
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
    model: judgedBy && receipt ? receipt.model : null,
    question_version: judgedBy && receipt ? receipt.question_version : null,
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
    answered && options && receipt.status !== 'stale'
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

/** The valid receipts of an observer's goal. */
export const receiptsOf = ({ goal, observer }: LoadedObserver): readonly Receipt[] =>
  readReceipts({
    folder: goal.receipts,
    goalId: observer.goal_id,
    wanted: [],
    shared: true,
    captured: () => new Set(),
  }).receipts;
