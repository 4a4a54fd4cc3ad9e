import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from './hono.ts';

/** Names under which a browser on this machine reaches the server; any other one was resolved by somebody else. */
const localNames = ['127.0.0.1', 'localhost'];

/**
 * Refuses a request whose Host is not this server's own (a rebound name), or whose Origin or fetch metadata says that
 * another page sent it.
 */
export const refuseForeign =
  (port: () => number): MiddlewareHandler =>
  async (context, next) => {
    const own = localNames.map((name) => `${name}:${port()}`);
    const host = context.req.header('host')?.toLowerCase() ?? '';
    if (!own.includes(host)) return refusal(context, 'the Host of the request is not this server');
    const origin = context.req.header('origin')?.toLowerCase();
    if (origin !== undefined && origin !== `http://${host}`)
      return refusal(context, 'the request comes from another origin');
    const site = context.req.header('sec-fetch-site');
    if (site !== undefined && site !== 'same-origin' && site !== 'none')
      return refusal(context, 'the request comes from another site');
    return next();
  };

/** Lets only requests through that bear the token: in the header, or for the page itself in its address. */
export const demandToken =
  (token: string, from: 'header' | 'address'): MiddlewareHandler =>
  async (context, next) => {
    const borne =
      from === 'address'
        ? context.req.query('token')
        : /^Bearer (.+)$/.exec(context.req.header('authorization') ?? '')?.[1];
    if (borne !== undefined && isEqual(borne, token)) return next();
    return refusal(context, 'the token is missing or wrong; open the URL that drift dashboard printed');
  };

/** In constant time, whatever the lengths. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function refusal(context: Context, message: string): Response {
  const error = { reason: 'refused', file: null, field: null, message, hint: '' };
  return context.json({ ok: false, error }, 403);
}
