import type { Fetch } from '@typesafe-ai/sdk';
import type { Endpoint } from './endpoint.ts';

/** What the bounded fetch saw; the SDK wraps its errors, and an error text is no place to read a reason from. */
export interface BoundedTrace {
  fault: 'provider_redirected' | 'response_too_large' | null;
  headersSeen: boolean;
}

/** A fetch for the SDK that follows no redirect and stops reading beyond `maxBytes` of decoded body. */
export function createBoundedFetch(endpoint: Endpoint, maxBytes: number, trace: BoundedTrace): Fetch {
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    if (endpoint.apiKey === null) headers.delete('authorization');
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    trace.headersSeen = true;
    if (response.status >= 300 && response.status < 400) {
      trace.fault = 'provider_redirected';
      await response.body?.cancel();
      throw new Error(trace.fault);
    }
    const bytes = await readBounded(response, maxBytes);
    if (bytes === null) {
      trace.fault = 'response_too_large';
      throw new Error(trace.fault);
    }
    const { status, statusText } = response;
    return new Response(bytes.length === 0 ? null : bytes, { status, statusText, headers: response.headers });
  };
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream and closes the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
