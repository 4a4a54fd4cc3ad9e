import { APIError, APITimeoutError, TypeSafeClient } from '@typesafe-ai/sdk';
import type { SystemOneRequest } from '../request/build-request.ts';
import { type BoundedTrace, createBoundedFetch } from './bounded-fetch.ts';
import type { Endpoint } from './endpoint.ts';
import { describeProviderError } from './provider-error.ts';

/** What became of one request: the raw text of an answer, or why there is none. Saved as it is, and replayed. */
export type ExchangeOutcome =
  | { readonly outcome: 'answered'; readonly body: string }
  | {
      readonly outcome: 'failed';
      /** `[a-z0-9_]{1,80}`: goes into the receipt. */
      readonly reason: string;
      /** What the provider said about it, bounded and without the key. */
      readonly detail: string | null;
    };

/** Sends one request, at most once, and never throws for anything that the other side does. */
export type Exchange = (request: SystemOneRequest, requestKey: string) => Promise<ExchangeOutcome>;

export interface ExchangeLimits {
  /** Milliseconds from the call to the last byte of the answer, everything included. */
  readonly deadlineMs: number;
  readonly maxResponseBytes: number;
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * One request through the official SDK: no retries (after a timeout the first may have been charged), no redirects, one
 * deadline, a bounded answer. The SDK neither parses nor validates it: `asResponse()` hands out the bytes.
 */
export function createExchange(endpoint: Endpoint, limits: ExchangeLimits): Exchange {
  return async (request) => {
    const trace: BoundedTrace = { fault: null, headersSeen: false };
    const deadline = AbortSignal.timeout(limits.deadlineMs);
    const client = new TypeSafeClient({
      // The SDK insists on a key; the bounded fetch takes it off again where there is none.
      apiKey: endpoint.apiKey ?? 'none',
      baseURL: endpoint.baseUrl,
      defaultModel: request.model,
      timeout: limits.deadlineMs,
      retry: { maxRetries: 0 },
      logLevel: 'off',
      logger: silent,
      fetch: createBoundedFetch(endpoint, limits.maxResponseBytes, trace),
    });
    try {
      const response = await client.systemOne(request, { signal: deadline }).asResponse();
      return readAnswer(response, new Uint8Array(await response.arrayBuffer()));
    } catch (error) {
      return failureOf(error, trace, deadline.aborted, endpoint);
    }
  };
}

const failed = (reason: string, detail: string | null = null): ExchangeOutcome => ({
  outcome: 'failed',
  reason,
  detail,
});

function readAnswer(response: Response, bytes: Uint8Array): ExchangeOutcome {
  if (bytes.length === 0) return failed('response_empty');
  let body: string;
  try {
    body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return failed('response_not_utf8');
  }
  const declaredHtml = (response.headers.get('content-type') ?? '').includes('html');
  return declaredHtml || /^\s*</.test(body) ? failed('response_html') : { outcome: 'answered', body };
}

function failureOf(error: unknown, trace: BoundedTrace, late: boolean, endpoint: Endpoint): ExchangeOutcome {
  if (trace.fault !== null) return failed(trace.fault);
  if (late || error instanceof APITimeoutError) return failed('deadline_exceeded');
  if (error instanceof APIError)
    return failed(reasonOfStatus(error.status), describeProviderError(error, endpoint.apiKey));
  return failed(reasonOfConnection(error, trace));
}

const statusReasons: Readonly<Record<number, string>> = {
  400: 'provider_bad_request',
  401: 'provider_unauthorized',
  403: 'provider_forbidden',
  404: 'provider_not_found',
  413: 'provider_payload_too_large',
  422: 'provider_unprocessable',
  429: 'provider_rate_limited',
  529: 'provider_overloaded',
};

const reasonOfStatus = (status: number): string => statusReasons[status] ?? `provider_http_${status}`;

function reasonOfConnection(error: unknown, { headersSeen }: BoundedTrace): string {
  const codes = codesOf(error);
  if (codes.some((code) => /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code)))
    return 'provider_unreachable';
  if (codes.some((code) => /CERT|TLS|SSL|^EPROTO$|^UNABLE_TO_/.test(code))) return 'tls_failed';
  return headersSeen ? 'response_cut' : 'connection_lost';
}

function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  for (let at: unknown = error; at instanceof Error && codes.length < 8; at = at.cause)
    codes.push(String((at as NodeJS.ErrnoException).code ?? ''));
  return codes;
}
