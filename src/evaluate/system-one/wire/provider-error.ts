import type { APIError } from '@typesafe-ai/sdk';

const maxLength = 200;

/**
 * What the provider said about a refused request, for `drift show`: one line of at most 200 printable characters, or
 * null. Servers put it under `error`, `message` or `detail`, as a text, an object or a list of findings. A refusal of
 * the key says nothing here, because servers like to quote the key in it.
 */
export function describeProviderError(error: APIError, apiKey: string | null): string | null {
  if (error.status === 401 || error.status === 403) return null;
  const wait = error.headers.get('retry-after') ?? error.headers.get('retry-after-ms');
  const said = [messageIn(error.body), wait === null ? null : `retry-after: ${wait}`].filter(
    (text) => text !== null,
  );
  if (said.length === 0) return null;
  const line = said.join('; ').replaceAll(/[^\x20-\x7e\u00a0-\u{10ffff}]+/gu, ' ');
  const safe = apiKey === null ? line : line.replaceAll(apiKey, '[key]');
  return [...safe].slice(0, maxLength).join('');
}

function messageIn(body: unknown): string | null {
  if (typeof body === 'string') return body.trimStart().startsWith('<') ? null : body;
  if (Array.isArray(body)) return body.map(messageIn).filter(Boolean).join('; ') || null;
  if (typeof body !== 'object' || body === null) return null;
  const { error, message, detail, msg } = body as Record<string, unknown>;
  return messageIn(error ?? message ?? detail ?? msg);
}
