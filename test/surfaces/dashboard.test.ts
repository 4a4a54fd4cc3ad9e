import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadObserver } from '../../src/observer/load-observer.ts';
import { readGoalView } from '../../src/readmodel/goal-view.ts';
import { makeAssistRig } from '../support/assist.ts';
import { ask, pageOf, type ServedDashboard, serveDashboard } from '../support/dashboard.ts';
import { makeRig, readLines } from '../support/rig.ts';

type AssistRig = Awaited<ReturnType<typeof makeAssistRig>>;

/** Three turns that only renamed, judged. */
async function churned(mode = 'shadow'): Promise<AssistRig> {
  const rig = await makeAssistRig({ mode });
  for (const n of [1, 2, 3])
    await rig.turn(['--progress-result-class', 'advanced', '--progress-hypothesis-id', `h${n}`], {
      as: `turn-${n}`,
    });
  await rig.drain();
  return rig;
}

describe('what the dashboard refuses', () => {
  let served: ServedDashboard;
  let page: ReturnType<typeof pageOf>;
  let rig: AssistRig;

  beforeAll(async () => {
    rig = await churned();
    served = await serveDashboard(rig);
    page = pageOf(served);
  });

  it('prints its URL with a random token on the first line', async () => {
    const again = await serveDashboard(rig);

    expect(served.line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
    expect(again.token).not.toBe(served.token);
    expect((await ask(served.url)).status).toBe(200);
  });

  it('listens on the loopback interface only', async () => {
    const outward = Object.values(networkInterfaces())
      .flat()
      .filter((each) => each?.internal === false && each.family === 'IPv4');

    const reached = await Promise.allSettled(
      outward.map((each) => ask(`http://${each?.address}:${served.url.port}/`)),
    );

    expect(reached.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  });

  it('answers no other Host, whatever the path and the token', async () => {
    const headers = { authorization: `Bearer ${served.token}` };
    const paths = ['/', '/page.css', '/dashboard.js', '/api/goals', '/api/changes'];
    const { port } = served.url;
    const hosts = ['evil.example', `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, '127.0.0.1'];

    const answers = await Promise.all(
      paths.flatMap((path) =>
        hosts.map((host) =>
          ask(new URL(`${path}?token=${served.token}`, served.url), { headers: { ...headers, host } }),
        ),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual(paths.flatMap(() => hosts.map(() => 403)));
  });

  it('takes no request that another page sent, even with the token', async () => {
    const [{ key }] = (await page.goals()).map(({ head }: { head: object }) => head);
    const [event] = (await rig.status()).events;
    const body = { event_id: event?.event_id, truth: 'drift' };
    const path = `/api/goals/${key}/labels`;

    const answers = await Promise.all([
      page.post(path, body, { origin: 'http://evil.example' }),
      page.post(path, body, { origin: 'null' }),
      page.post(path, body, { origin: `http://127.0.0.1:${Number(served.url.port) + 1}` }),
      page.post(path, body, { 'sec-fetch-site': 'cross-site' }),
      page.post(path, body, { 'sec-fetch-site': 'same-site' }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect(readLines(join(rig.state, 'labels.jsonl'))).toEqual([]);
  });

  it('reads and writes nothing without the token', async () => {
    const [{ key }] = (await page.goals()).map(({ head }: { head: object }) => head);
    const policy = {
      mode: 'off',
      signal: 'noul',
      drift_threshold: 2,
      contract_revision: '',
      execute: true,
    };
    const tries = [
      ['GET', '/'],
      ['GET', '/?token=x'],
      ['GET', '/api/goals'],
      ['GET', '/api/changes'],
      ['POST', `/api/goals/${key}/labels`],
      ['POST', `/api/goals/${key}/policy`],
    ] as const;
    const before = readFileSync(join(rig.state, 'registry.json'), 'utf8');

    const answers = await Promise.all(
      tries.flatMap(([method, path]) =>
        ['', 'Bearer ', `Bearer ${served.token}x`, `Basic ${served.token}`].map((authorization) =>
          ask(new URL(path, served.url), {
            method,
            headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
            ...(method === 'POST' ? { body: policy } : {}),
          }),
        ),
      ),
    );

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    expect(readFileSync(join(rig.state, 'registry.json'), 'utf8')).toBe(before);
    expect(answers.map(({ text }) => text).join()).not.toContain(served.token);
  });

  it('lets nothing run or load but its own files', async () => {
    const { headers, text } = await ask(served.url);
    const policy = String(headers['content-security-policy']);

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(text).not.toMatch(/<script(?![^>]*src="\/)|<style|\sstyle=|\son\w+=/);
  });

  it('refuses a label that is not exactly one, and says what for', async () => {
    const [{ key }] = (await page.goals()).map(({ head }: { head: object }) => head);
    const json = 'application/json';
    const wrong = [
      ['text/plain', '{"event_id":"0123456789","truth":"drift"}', 400],
      [json, 'truth=drift', 400],
      [json, '{"event_id":"01234567","truth":"drift","truth":null}', 400],
      [json, '{"event_id":"01234567","truth":"drift","admin":true}', 400],
      [json, '{"event_id":"01234567","truth":"fine"}', 400],
      [json, '{"event_id":"0123456789","truth":"drift"}', 404],
      [json, JSON.stringify({ note: 'x'.repeat(20_000) }), 413],
    ] as const;

    const answers = await Promise.all(
      wrong.map(([type, body]) => page.post(`/api/goals/${key}/labels`, body, { 'content-type': type })),
    );

    expect(answers.map(({ status }) => status)).toEqual(wrong.map(([, , status]) => status));
    expect(answers[3]?.json.error).toMatchObject({ reason: 'usage', field: 'admin' });
    expect(readLines(join(rig.state, 'labels.jsonl'))).toEqual([]);
  });

  it('refuses a goal that it does not serve', async () => {
    const answer = await page.post('/api/goals/nobody/labels', { event_id: '0123456789', truth: null });

    expect(answer).toMatchObject({ status: 404, json: { ok: false, error: { reason: 'state_not_found' } } });
  });

  it('ends on SIGTERM with status 0, with a page still following', async () => {
    const following = ask(new URL('/api/changes', served.url), {
      headers: { authorization: `Bearer ${served.token}` },
    }).catch(() => 'cut');

    const ended = await served.stop();

    expect(ended).toBe(0);
    await following;
  });
});

describe('what the dashboard shows', () => {
  it('gives the same status as the terminal', async () => {
    const rig = await churned();
    const page = pageOf(await serveDashboard(rig));

    const [goal] = await page.goals();
    const status = await rig.status();

    expect(goal.read).toBe('observed');
    expect(goal.evidence.status).toEqual({
      ...status,
      backlog: goal.evidence.status.backlog,
    });
  });

  it('reads nothing of a goal whose policy is off', async () => {
    const rig = await churned('off');
    const loaded = loadObserver({ stateDir: rig.state, env: {}, cwd: rig.work });
    if (!loaded.ok) throw new Error(loaded.failure.reason);
    const touched = new Set<string>();
    const noting = (name: string, target: object): object =>
      new Proxy(target, {
        get: (all, key) => {
          touched.add(`${name}.${String(key)}`);
          return Reflect.get(all, key);
        },
      });
    const watched = {
      ...loaded.value,
      layout: noting('layout', loaded.value.layout),
      goal: noting('goal', loaded.value.goal),
    } as typeof loaded.value;

    const view = await readGoalView(watched, { all: false, now: 0, where: { env: {}, cwd: rig.work } });
    const [goal] = await pageOf(await serveDashboard(rig)).goals();

    expect(view).toMatchObject({ ok: true, value: { read: 'off' } });
    expect([...touched]).toEqual(['layout.registry']);
    expect(Object.keys(goal).sort()).toEqual(['head', 'read']);
  });

  it('is unavailable while the receipts cannot be read, with nothing from before, and comes back', async () => {
    const rig = await churned();
    const page = pageOf(await serveDashboard(rig));
    const receipts = join(rig.goalFolder, 'progress-review', 'receipts');
    const before = (await page.goals())[0].read;
    renameSync(receipts, `${receipts}.away`);
    writeFileSync(receipts, '');

    const [broken] = await page.goals();
    renameSync(`${receipts}.away`, `${receipts}.back`);
    renameSync(receipts, `${receipts}.file`);
    renameSync(`${receipts}.back`, receipts);

    expect([before, broken.read, (await page.goals())[0].read]).toEqual([
      'observed',
      'unavailable',
      'observed',
    ]);
    expect(Object.keys(broken).sort()).toEqual(['head', 'hint', 'message', 'read']);
    expect(broken.message).toContain(receipts);
  });

  it('shows one event with its diff', async () => {
    const rig = await churned();
    const page = pageOf(await serveDashboard(rig));
    const [goal] = await page.goals();
    const [event] = goal.evidence.status.events;

    const { json } = await page.get(`/api/goals/${goal.head.key}/events/${event.event_id}`);

    expect(json.diffs[0].diff).toContain('+  const limit3 = times + 1;');
  });

  it('serves several goals, each once', async () => {
    const rig = await churned();
    const other = await makeRig();

    const served = await serveDashboard(rig, '--state-dir', other.state, '--state-dir', rig.state);

    expect((await pageOf(served).goals()).map(({ read }: { read: string }) => read)).toEqual([
      'observed',
      'off',
    ]);
  });

  it('says so when the port is taken', async () => {
    const rig = await makeRig();
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;

    const ended = await rig.drift(['dashboard', '--json', '--port', String(port)]);

    expect(ended.rc).toBe(2);
    expect(JSON.parse(ended.out).error).toMatchObject({ reason: 'port_unavailable', field: String(port) });
  });
});

describe('what the dashboard writes', () => {
  it('labels as the terminal does', async () => {
    const rig = await churned();
    const page = pageOf(await serveDashboard(rig));
    const [goal] = await page.goals();
    const [newest, older] = goal.evidence.status.events;

    await page.post(`/api/goals/${goal.head.key}/labels`, { event_id: newest.event_id, truth: 'on_goal' });
    await rig.drift(['label', '--event-id', older.event_id, '--truth', 'on_goal']);
    const [fromPage, fromTerminal] = readLines(join(rig.state, 'labels.jsonl')).map((line) =>
      JSON.parse(line),
    );

    expect(Object.keys(fromPage)).toEqual(Object.keys(fromTerminal));
    expect((await rig.status()).label_counts.on_goal).toBe(2);
  });

  it('previews a policy without writing, and writes it as configure-goal does', async () => {
    const [rig, twin] = [await churned('off'), await churned('off')];
    const page = pageOf(await serveDashboard(rig));
    const [goal] = await page.goals();
    const registry = join(rig.state, 'registry.json');
    const before = readFileSync(registry, 'utf8');
    const wish = { mode: 'assist', signal: 'choice', drift_threshold: 3, contract_revision: rig.pin };

    const preview = await page.post(`/api/goals/${goal.head.key}/policy`, { ...wish, execute: false });
    const afterPreview = readFileSync(registry, 'utf8');
    const written = await page.post(`/api/goals/${goal.head.key}/policy`, { ...wish, execute: true });
    await twin.configure(
      ...['--progress-review-mode', 'assist', '--progress-review-signal', 'choice'],
      ...['--progress-review-drift-threshold', '3', '--progress-review-contract-revision', twin.pin],
    );

    expect(preview.json).toMatchObject({ changed: true, written: false });
    expect(preview.json.changes).toContainEqual({ field: 'mode', before: 'off', after: 'assist' });
    expect(afterPreview).toBe(before);
    expect(written.json.written).toBe(true);
    expect(blockIn(registry)).toEqual(blockIn(join(twin.state, 'registry.json')));
  });
});

const blockIn = (file: string): unknown =>
  JSON.parse(readFileSync(file, 'utf8')).goals[0].control_plane.progress_review;
