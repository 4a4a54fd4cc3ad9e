import type { ReceiptStatus } from './receipt.ts';

interface Meaning {
  readonly status: ReceiptStatus;
  /** For the owner: neither fine nor drift. */
  readonly words: string;
}

const not = (words: string): Meaning => ({ status: 'not_evaluated', words });
const stale = (words: string): Meaning => ({ status: 'stale', words });
const failed = (words: string): Meaning => ({ status: 'failed', words });

/**
 * Why a transition has no verdict, by the `reason` of its receipt. What a provider or its answer did wrong is a family:
 * `provider_…`, `response_…`, `answer_…`, `label_…`, `choice_…`, `probability_…`, `model_…`, all `failed`.
 */
export const receiptReasons: Readonly<Record<string, Meaning>> = {
  pending_evaluation: not('captured, and not judged yet'),
  no_delta: not('no declared file changed'),
  baseline_reset: not('a new baseline, nothing to compare with'),
  branch_changed: not('the branch changed'),
  overlapping_captures: not('another refresh ran at the same time'),
  duplicate_evidence: not('the same change was judged before'),
  incomplete_coverage: not('a changed file could not be read as text'),
  corrupt_event: not('the event is damaged'),
  criterion_basis_unavailable: not('the owner of the acceptance gives no criteria, or other ones'),
  run_acceptance_scope_mismatch: not('the run is not of the agent and todo that the criteria are for'),
  evidence_scope_overflow: not('more changed files than a receipt can name'),
  evaluator_unavailable: not('the chosen evaluator is not offered'),
  egress_not_allowed: not('nobody has allowed a request to leave'),
  endpoint_invalid: not('the address of the model is no plain http or https address'),
  endpoint_not_https: not('plain http beyond this machine'),
  api_key_missing: not('the variable that should hold the key is empty'),
  api_key_invalid: not('the key cannot stand in a request'),
  secret_suspected: not('the request may hold a secret, so it was not sent'),
  file_not_text: not('a changed file is not text'),
  request_too_large: not('the request would be too large'),
  request_budget_exhausted: not('every allowed request was made'),
  request_budget_unreadable: not('the record of requests cannot be read'),
  reservation_unwritable: not('the request could not be noted down, so it was not sent'),
  may_have_been_sent: not('a request may have been sent and its answer lost; it is never repeated'),
  structural_unproven: { status: 'abstained', words: 'not provable offline' },
  nothing_decided: { status: 'abstained', words: 'the model was not sure of anything' },
  contract_revision_changed: stale('the basis changed since'),
  configuration_changed: stale('the configuration changed since'),
  run_record_changed: stale('the run record changed since'),
  request_changed: stale('the saved answer belongs to another request'),
  evaluator_error: failed('the evaluator itself failed'),
  poison: failed('judging it ended the process again and again'),
  deadline_exceeded: failed('the model did not answer in time'),
  connection_lost: failed('the connection was lost before an answer began'),
  tls_failed: failed('no trusted connection to the model'),
  no_recorded_response: failed('nothing was recorded for this request (compare)'),
  invalid_recorded_response: failed('the recording cannot be used (compare)'),
  fleet_terms_unknown: failed('the fleet does not know how this event is to be judged'),
  fleet_basis_unknown: failed('the fleet does not have the basis of this event'),
  fleet_result_invalid: failed('what came back from the fleet is no result of this event'),
};
