import type { Fact } from '../evaluator.ts';
import type { ReserveResult } from './ledger/request-ledger.ts';
import type { SystemOneSetting } from './options.ts';
import type { BuiltRequest } from './request/build-request.ts';
import { findSecret } from './request/find-secret.ts';
import { resolveEndpoint } from './wire/endpoint.ts';
import { createExchange, type Exchange, type ExchangeOutcome } from './wire/exchange.ts';

/** Why no request was made, or its answer is not used. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly status: 'not_evaluated' | 'stale';
  readonly reason: string;
  readonly facts: readonly Fact[];
}

interface Obtained {
  readonly kind: 'obtained';
  readonly outcome: ExchangeOutcome;
}

/** A stop with its typed reason. */
export const stopped = (status: Stopped['status'], reason: string, facts: readonly Fact[] = []): Stopped => ({
  kind: 'stopped',
  status,
  reason,
  facts,
});

/**
 * Gets the outcome of the event's one request: the saved one, or by sending it now. The order is the promise: what
 * forbids a send is looked at first, the reservation is on disk before the send, the outcome before its use.
 */
export async function obtainOutcome(
  setting: SystemOneSetting,
  built: BuiltRequest,
): Promise<Obtained | Stopped> {
  const entry = setting.ledger.find(setting.eventId);
  if (entry.state === 'reserved') return stopped('not_evaluated', 'may_have_been_sent');
  if (entry.state === 'answered')
    return entry.requestKey === built.requestKey
      ? { kind: 'obtained', outcome: entry.outcome }
      : stopped('stale', 'request_changed');
  if (setting.recorded)
    return { kind: 'obtained', outcome: await setting.recorded.answer(built.request, built.requestKey) };
  const exchange = await permitSend(setting, built);
  return typeof exchange === 'function' ? sendOnce(setting, built, exchange) : exchange;
}

async function permitSend(
  { options, env, guard }: SystemOneSetting,
  { texts }: BuiltRequest,
): Promise<Exchange | Stopped> {
  if (!options.allow_egress) return stopped('not_evaluated', 'egress_not_allowed');
  const endpoint = resolveEndpoint({ baseUrl: options.base_url, apiKeyEnv: options.api_key_env, env });
  if (!endpoint.ok) return stopped('not_evaluated', endpoint.failure);
  const suspicion = await findSecret(texts);
  if (suspicion !== null)
    return stopped('not_evaluated', 'secret_suspected', [{ fact: 'secret_suspected', ...suspicion }]);
  const stale = await guard();
  if (stale !== null) return stopped('stale', stale);
  return createExchange(endpoint.value, {
    deadlineMs: options.deadline_ms,
    maxResponseBytes: options.max_response_bytes,
  });
}

const unreserved: Readonly<Record<Exclude<ReserveResult, 'reserved'>, string>> = {
  already_reserved: 'may_have_been_sent',
  budget_exhausted: 'request_budget_exhausted',
  budget_unreadable: 'request_budget_unreadable',
  unwritable: 'reservation_unwritable',
};

async function sendOnce(
  { eventId, ledger, options, now }: SystemOneSetting,
  { request, requestKey }: BuiltRequest,
  exchange: Exchange,
): Promise<Obtained | Stopped> {
  const at = (): string => new Date(now()).toISOString();
  const reserved = ledger.reserve({ eventId, requestKey, reservedAt: at() }, options.max_requests);
  if (reserved !== 'reserved') return stopped('not_evaluated', unreserved[reserved]);
  const outcome = await exchange(request, requestKey);
  ledger.saveOutcome({ eventId, requestKey, receivedAt: at(), outcome });
  return { kind: 'obtained', outcome };
}
