import { labelRequestSchema, policyRequestSchema } from '../../contract/dashboard-request.ts';
import type { Failure } from '../../contract/failure.ts';
import { parseShape } from '../../contract/parse.ts';
import { fail, ok, type Result } from '../../contract/result.ts';
import type { Where } from '../../goal/goal-review.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import type { LoadedObserver } from '../../observer/load-observer.ts';
import { describeEvent } from '../../readmodel/event-detail.ts';
import { findEvent } from '../../readmodel/find-event.ts';
import { labelEvent } from '../../readmodel/label-event.ts';
import { changePolicy, loadGoal, type Reading, readGoal, type ServedGoal } from './goals.ts';
import { demandToken, refuseForeign } from './guards.ts';
import { bodyLimit, type Context, Hono, secureHeaders, streamSSE } from './hono.ts';
import { readAsset, shell } from './page-assets.ts';
import { filesBehind, watchChanges } from './watch-changes.ts';

const MAX_BODY_BYTES = 16_384;

export interface DashboardSite {
  readonly goals: readonly ServedGoal[];
  readonly token: string;
  readonly port: () => number;
  readonly where: Where;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly describe: (failure: Failure) => { readonly message: string; readonly hint: string };
}

/** Everything the dashboard answers (design §9): the page, its reads, and two writes. */
export function dashboardRoutes(site: DashboardSite): Hono {
  const app = new Hono();
  app.use(
    secureHeaders({ contentSecurityPolicy: policy, referrerPolicy: 'no-referrer', xFrameOptions: 'DENY' }),
  );
  app.use(refuseForeign(site.port));
  app.use(async (context, next) => {
    await next();
    context.header('cache-control', 'no-store');
  });
  app.get('/', demandToken(site.token, 'address'), (context) => context.html(shell));
  app.get('/page.css', (context) => context.body(readAsset('page.css'), 200, { 'content-type': 'text/css' }));
  app.get('/dashboard.js', (context) =>
    context.body(readAsset('dashboard.js'), 200, { 'content-type': 'text/javascript' }),
  );
  app.use('/api/*', demandToken(site.token, 'header'), bodyLimit({ maxSize: MAX_BODY_BYTES }));
  app.get('/api/goals', (context) => sendGoals(context, site));
  app.get('/api/changes', (context) => streamChanges(context, site));
  app.get('/api/goals/:goal/events/:event', (context) =>
    withGoal(context, site, async (loaded) => {
      const found = findEvent(loaded.layout, context.req.param('event'));
      return found.ok ? ok(describeEvent(loaded, found.value)) : found;
    }),
  );
  app.post('/api/goals/:goal/labels', (context) =>
    withGoal(context, site, async (loaded) => {
      const body = await readBody(context, labelRequestSchema);
      if (!body.ok) return body;
      const { event_id: prefix, truth, note } = body.value;
      return labelEvent(loaded, { prefix, truth, note, now: site.now() });
    }),
  );
  app.post('/api/goals/:goal/policy', (context) =>
    withGoal(context, site, async (loaded) => {
      const body = await readBody(context, policyRequestSchema);
      return body.ok ? changePolicy(loaded, body.value, { where: site.where, now: site.now() }) : body;
    }),
  );
  return app;
}

const policy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  connectSrc: ["'self'"],
  imgSrc: ['data:'],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

async function sendGoals(context: Context, site: DashboardSite): Promise<Response> {
  const readings: Reading[] = [];
  for (const goal of site.goals) readings.push(await readGoal(goal, site.where, site.now()));
  const goals = readings.map((reading) =>
    'view' in reading
      ? reading.view
      : {
          read: 'unavailable',
          head: { key: reading.goal.key, goal_id: reading.goal.goal_id },
          ...site.describe(reading.failure),
        },
  );
  return context.json({ goals });
}

function streamChanges(context: Context, { goals, where }: DashboardSite): Response {
  const listFiles = (): string[] =>
    goals.flatMap((goal) => {
      const loaded = loadGoal(goal);
      return loaded.ok ? filesBehind(loaded.value, where) : [];
    });
  return streamSSE(context, async (stream) => {
    const ended = new AbortController();
    stream.onAbort(() => ended.abort());
    await stream.writeSSE({ event: 'open', data: '' });
    for await (const _ of watchChanges(listFiles, ended.signal))
      await stream.writeSSE({ event: 'change', data: '' });
  });
}

async function withGoal(
  context: Context,
  site: DashboardSite,
  work: (loaded: LoadedObserver) => Promise<Result<object, Failure>>,
): Promise<Response> {
  const goal = site.goals.find(({ key }) => key === context.req.param('goal'));
  const loaded = goal ? loadGoal(goal) : fail<Failure>({ reason: 'state_not_found' });
  const done = loaded.ok ? await work(loaded.value) : loaded;
  if (done.ok) return context.json(done.value);
  const { reason, file = null, field = null } = done.failure;
  const error = { reason, file, field, ...site.describe(done.failure) };
  return context.json({ ok: false, error }, statusOf(done.failure));
}

const statusOf = ({ reason }: Failure): 400 | 404 | 409 => {
  if (reason === 'usage' || reason === 'json_invalid') return 400;
  return reason.endsWith('_not_found') ? 404 : 409;
};

async function readBody<S extends Parameters<typeof parseShape>[0]>(context: Context, schema: S) {
  const refuse = (detail: string) => fail<Failure>({ reason: 'usage', detail });
  if (!/^application\/json\b/.test(context.req.header('content-type') ?? ''))
    return refuse('the request is no JSON');
  const parsed = parseStrictJson(await context.req.text());
  if (!parsed.ok) return refuse(`the request is no strict JSON: ${parsed.fault.fault}`);
  const body = parseShape<S>(schema, parsed.value, { file: 'the request', reason: 'usage' });
  if (body.ok) return body;
  const { field = '', detail = '' } = body.failure;
  return fail<Failure>({ ...body.failure, detail: `${field}: ${detail}` });
}
