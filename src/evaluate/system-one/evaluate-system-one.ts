import type { Evaluation, Evaluator, Fact } from '../evaluator.ts';
import { judgeAnswers } from './judge-answers.ts';
import { obtainOutcome, type Stopped, stopped } from './obtain-outcome.ts';
import type { SystemOneSetting } from './options.ts';
import { buildRequest } from './request/build-request.ts';
import { changeQuestions, changeQuestionVersion } from './request/questions.ts';
import { type Answers, decodeResponse } from './wire/decode-response.ts';
import type { ExchangeOutcome } from './wire/exchange.ts';

/**
 * The remote evaluator, bound to one event (design §7). Five questions go out in one request, at most once in the life
 * of the event: a durable reservation precedes the send, a saved answer is replayed, and a reservation without an
 * answer is `not_evaluated` / `may_have_been_sent`. Never throws for what the files, the disk or the provider do.
 *
 * `chooseEvaluator` makes one for each event that drain judges. `status` shows `readRequestBudget`;
 * `drift configure system_one.max_requests=N` calls `setRequestBudget`.
 *
 * Reasons: `not_evaluated` with `duplicate_evidence`, `file_not_text`, `request_too_large`, `may_have_been_sent`,
 * `egress_not_allowed`, an `EndpointRefusal`, `secret_suspected`, `request_budget_exhausted`,
 * `request_budget_unreadable`, `reservation_unwritable`; `stale` with the reason of a guard or `request_changed`; `abstained`
 * with `nothing_decided`; `failed` with a reason of {@link createExchange} or {@link decodeResponse}.
 */
export function createSystemOneEvaluator(setting: SystemOneSetting): Evaluator {
  const { options } = setting;
  return async ({ basis, files, history }) => {
    if (history.repetition > 1)
      return unanswered(options.model, stopped('not_evaluated', 'duplicate_evidence'));
    const { model, max_request_bytes: maxRequestBytes } = options;
    const built = buildRequest({ basis, files, model, maxRequestBytes });
    if (typeof built === 'string') return unanswered(model, stopped('not_evaluated', built));
    const obtained = await obtainOutcome(setting, built);
    if (obtained.kind === 'stopped') return unanswered(model, obtained);
    const stale = await setting.guard();
    if (stale !== null) return unanswered(model, stopped('stale', stale));
    const evaluation = judgeOutcome(setting, obtained.outcome, history);
    const coverage: Fact[] =
      built.coverage === 'all_files' ? [] : [{ fact: 'coverage', detail: built.coverage }];
    return { ...evaluation, facts: [...coverage, ...evaluation.facts] };
  };
}

const identity = { evaluator: 'system-one', question_version: changeQuestionVersion } as const;
const noJudgments = { choice: null, noul: null } as const;

const unanswered = (model: string, { status, reason, facts }: Stopped): Evaluation => ({
  ...identity,
  status,
  reason,
  facts,
  model,
  judgments: noJudgments,
});

/** Judges what came back, at the threshold of the setting; also for an outcome that was saved earlier. */
export function judgeOutcome(
  { options, labelThreshold }: Pick<SystemOneSetting, 'options' | 'labelThreshold'>,
  outcome: ExchangeOutcome,
  history: Parameters<Evaluator>[0]['history'],
): Evaluation {
  const { model, model_match: modelMatch } = options;
  if (outcome.outcome === 'failed') return failed(model, outcome.reason, outcome.detail);
  const decoded = decodeResponse(outcome.body, { model, modelMatch, questions: changeQuestions });
  if (!decoded.ok) return failed(model, decoded.failure, null);
  const { answers, usage } = decoded.value;
  return {
    ...identity,
    ...judgeAnswers(answers, labelThreshold, history),
    facts: factsOf(answers),
    model: decoded.value.model,
    ...(usage === null ? {} : { usage }),
  };
}

const failed = (model: string, reason: string, detail: string | null): Evaluation => ({
  ...identity,
  status: 'failed',
  reason,
  facts: detail === null ? [] : [{ fact: 'provider_said', detail }],
  model,
  judgments: noJudgments,
});

/** What the model said, before the threshold, for `drift show`. */
const factsOf = ({ choice, noul }: Answers): Fact[] => [
  ...Object.entries(choice).map(([id, { label, probability }]) => ({
    fact: `answered_${id}`,
    detail: `${label} ${probability}`,
  })),
  ...Object.entries(noul).map(([id, probability]) => ({
    fact: `answered_${id}`,
    detail: String(probability),
  })),
];
