import type { ChangeHistory, Evaluation, Evaluator, Fact } from '../evaluator.ts';
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
    const refuse = (why: Stopped): Evaluation => ({ ...undecided(setting, why), facts: why.facts });
    if (history.repetition > 1) return refuse(stopped('not_evaluated', 'duplicate_evidence'));
    const { model, max_request_bytes: maxRequestBytes } = options;
    const built = buildRequest({ basis, files, model, maxRequestBytes });
    if (typeof built === 'string') return refuse(stopped('not_evaluated', built));
    const obtained = await obtainOutcome(setting, built);
    if (obtained.kind === 'stopped') return refuse(obtained);
    const stale = await setting.guard();
    if (stale !== null) return refuse(stopped('stale', stale));
    const evaluation = judgeOutcome(setting, obtained.outcome, history);
    const coverage: Fact[] =
      built.coverage === 'all_files' ? [] : [{ fact: 'coverage', detail: built.coverage }];
    return { ...evaluation, facts: [...coverage, ...evaluation.facts] };
  };
}

/** What judging an outcome takes of a setting. */
export type OutcomeTerms = Pick<SystemOneSetting, 'options' | 'labelThreshold' | 'recorded'>;

/** Judges what came back, at the threshold of the setting; also for an outcome that was saved earlier. */
export function judgeOutcome(
  terms: OutcomeTerms,
  outcome: ExchangeOutcome,
  history: ChangeHistory,
): Evaluation {
  const { model, model_match: modelMatch } = terms.options;
  if (outcome.outcome === 'failed') {
    const facts = outcome.detail === null ? [] : [{ fact: 'provider_said', detail: outcome.detail }];
    return { ...undecided(terms, { status: 'failed', reason: outcome.reason }), facts };
  }
  const decoded = decodeResponse(outcome.body, { model, modelMatch, questions: changeQuestions });
  if (!decoded.ok) return undecided(terms, { status: 'failed', reason: decoded.failure });
  const { answers, usage } = decoded.value;
  return {
    ...identityOf(terms),
    ...judgeAnswers(answers, terms.labelThreshold, history),
    facts: factsOf(answers),
    model: decoded.value.model,
    ...(usage === null ? {} : { usage }),
  };
}

const identityOf = ({ options, recorded }: Pick<OutcomeTerms, 'options' | 'recorded'>) => ({
  evaluator: 'system-one',
  model: options.model,
  question_version: recorded?.questionVersion ?? changeQuestionVersion,
});

const undecided = (
  terms: Pick<OutcomeTerms, 'options' | 'recorded'>,
  { status, reason }: Pick<Evaluation, 'status' | 'reason'>,
): Evaluation => ({
  ...identityOf(terms),
  status,
  reason,
  judgments: { choice: null, noul: null },
  facts: [],
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
