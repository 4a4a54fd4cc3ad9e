import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Failure } from '../../contract/failure.ts';
import { fail, ok, type Result } from '../../contract/result.ts';
import type { ObserverQuery } from '../../observer/load-observer.ts';
import { openGoals } from './goals.ts';
import { serve } from './hono.ts';
import { type DashboardSite, dashboardRoutes } from './routes.ts';

const TOKEN_BYTES = 32;

export interface DashboardRequest extends Pick<DashboardSite, 'where' | 'now' | 'describe'> {
  readonly observers: readonly ObserverQuery[];
  /** 0: any free one. */
  readonly port: number;
}

export interface Dashboard {
  /** With the token; the one place where it is told. */
  readonly url: string;
  readonly port: number;
  readonly goals: readonly string[];
  readonly close: () => Promise<void>;
}

/** Serves the dashboard on the loopback interface until closed. Reasons: those of loading, port_unavailable. */
export async function startDashboard(request: DashboardRequest): Promise<Result<Dashboard, Failure>> {
  const goals = openGoals(request.observers);
  if (!goals.ok) return goals;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  let port = request.port;
  const app = dashboardRoutes({ ...request, goals: goals.value, token, port: () => port });
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }) as Server;
  const listening = await isListening(server);
  if (!listening.ok)
    return fail({ reason: 'port_unavailable', field: String(request.port), detail: listening.failure });
  port = (server.address() as AddressInfo).port;
  return ok({
    url: `http://127.0.0.1:${port}/?token=${token}`,
    port,
    goals: goals.value.map(({ goal_id }) => goal_id),
    close: () => close(server),
  });
}

const isListening = (server: Server): Promise<Result<null, string>> =>
  new Promise((resolve) => {
    server.once('listening', () => resolve(ok(null)));
    server.once('error', (error: NodeJS.ErrnoException) => resolve(fail(error.code ?? error.message)));
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
