/** The web framework as far as the dashboard uses it; the build puts its code in here. */
export { serve } from '@hono/node-server';
export { type Context, Hono, type MiddlewareHandler } from 'hono';
export { bodyLimit } from 'hono/body-limit';
export { secureHeaders } from 'hono/secure-headers';
export { streamSSE } from 'hono/streaming';
