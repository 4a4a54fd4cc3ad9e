import { fail, ok, type Result } from '../../../contract/result.ts';

/** Where requests go, and with which key. The key is never printed, logged, saved or put into an error. */
export interface Endpoint {
  readonly baseUrl: string;
  /** Null: the server asks for none. */
  readonly apiKey: string | null;
}

export type EndpointRefusal =
  | 'endpoint_invalid'
  | 'endpoint_not_https'
  | 'api_key_missing'
  | 'api_key_invalid';

export interface EndpointInput {
  readonly baseUrl: string;
  /** Name of the environment variable that holds the key; null: the server asks for none. */
  readonly apiKeyEnv: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Resolves where to send. Plain http is for loopback alone. Only a loopback server may go without the key that the
 * configuration names. No other environment variable has a say: the SDK's own `TYPESAFE_*` are all overridden.
 */
export function resolveEndpoint({
  baseUrl,
  apiKeyEnv,
  env,
}: EndpointInput): Result<Endpoint, EndpointRefusal> {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return fail('endpoint_invalid');
  if (url.username || url.password || url.search || url.hash) return fail('endpoint_invalid');
  const loopback = isLoopback(url.hostname);
  if (url.protocol === 'http:' && !loopback) return fail('endpoint_not_https');
  if (apiKeyEnv === null) return ok({ baseUrl: url.href, apiKey: null });
  const key = (env[apiKeyEnv] ?? '').trim();
  if (key === '') return loopback ? ok({ baseUrl: url.href, apiKey: null }) : fail('api_key_missing');
  // A header value outside printable ASCII would come back in the error message of fetch.
  return /^[\x21-\x7e]+$/.test(key) ? ok({ baseUrl: url.href, apiKey: key }) : fail('api_key_invalid');
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
