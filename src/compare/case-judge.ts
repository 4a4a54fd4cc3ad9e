import type { RecordedRequests } from '../contract/comparison.ts';
import { chooseEvaluator, type EvaluatorFor } from '../evaluate/choose-evaluator.ts';
import type { ChangeHistory } from '../evaluate/evaluator.ts';
import { openRequestLedger } from '../evaluate/system-one/ledger/request-ledger.ts';
import type { RecordedAnswers } from '../evaluate/system-one/options.ts';
import { changeQuestionVersion } from '../evaluate/system-one/request/questions.ts';
import type { ExchangeOutcome } from '../evaluate/system-one/wire/exchange.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { readRecording, writeRecording } from './recordings.ts';

/** Where the answers of the remote evaluator come from. */
export type AnswerSource =
  | { readonly kind: 'none' }
  | { readonly kind: 'recorded'; readonly folder: string; readonly requests: RecordedRequests | null }
  | { readonly kind: 'live'; readonly folder: string };

export interface CaseJudge {
  readonly evaluatorOf: (loaded: LoadedObserver) => EvaluatorFor;
  /** What the remote evaluator was told about an event, and where the change stood in its chain; null: it was not asked. */
  readonly answerFor: (eventId: string) => Answered | null;
}

export interface Answered {
  readonly outcome: ExchangeOutcome;
  readonly history: ChangeHistory;
}

export interface CaseJudgeInput {
  readonly source: AnswerSource;
  readonly caseId: string;
  /** The round of an event, counted from 1. */
  readonly roundOf: (eventId: string) => number | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The configured evaluator of one case, with its answers recorded, replayed or neither. */
export function createCaseJudge({ source, caseId, roundOf, env, now }: CaseJudgeInput): CaseJudge {
  const answered = new Map<string, Answered>();
  const evaluatorOf = (loaded: LoadedObserver): EvaluatorFor => {
    const { requests: requestFolder } = loaded.layout;
    const ledger = openRequestLedger(requestFolder);
    return (binding) => async (input) => {
      const { eventId } = binding;
      const keep = (outcome: ExchangeOutcome): void =>
        void answered.set(eventId, { outcome, history: input.history });
      const recorded =
        source.kind === 'recorded' ? replay(source, caseId, roundOf(eventId), keep) : undefined;
      const needs = { requestFolder, env, now, ...(recorded ? { recorded } : {}) };
      const startedAt = now();
      const evaluation = await chooseEvaluator(loaded.config, needs)(binding)(input);
      const entry = ledger.find(eventId);
      if (source.kind === 'live' && entry.state === 'answered') {
        keep(entry.outcome);
        record(source.folder, { ...entry, startedAt, endedAt: now() });
      }
      return evaluation;
    };
  };
  return { evaluatorOf, answerFor: (eventId) => answered.get(eventId) ?? null };
}

function replay(
  { folder, requests }: Extract<AnswerSource, { kind: 'recorded' }>,
  caseId: string,
  round: number | null,
  keep: (outcome: ExchangeOutcome) => void,
): RecordedAnswers {
  const listed = round === null ? null : (requests?.cases[caseId]?.[round - 1] ?? null);
  return {
    questionVersion: requests?.question_version ?? changeQuestionVersion,
    answer: async (_request, requestKey) => {
      const outcome = readRecording(folder, requests === null ? requestKey : listed);
      keep(outcome);
      return outcome;
    },
  };
}

interface LiveAnswer {
  readonly requestKey: string;
  readonly outcome: ExchangeOutcome;
  readonly startedAt: number;
  readonly endedAt: number;
}

function record(folder: string, { requestKey, outcome, startedAt, endedAt }: LiveAnswer): void {
  if (outcome.outcome !== 'answered') return;
  writeRecording(folder, {
    requestKey,
    body: outcome.body,
    recordedAt: new Date(endedAt).toISOString(),
    workerTimingNs: Math.round((endedAt - startedAt) * 1e6),
  });
}
