import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createSystemOneEvaluator } from '../../../src/evaluate/system-one/evaluate-system-one.ts';
import {
  readRequestBudget,
  setRequestBudget,
} from '../../../src/evaluate/system-one/ledger/request-budget.ts';
import { changeQuestionVersion } from '../../../src/evaluate/system-one/request/questions.ts';
import { eventId, key, optionsFor, remoteRig, serve } from '../../support/remote.ts';
import { answersOf } from '../../support/system-one-server.ts';
import { inputOf } from '../../support/transition.ts';

describe('createSystemOneEvaluator', () => {
  it('judges a change by the five answers and names who judged', async () => {
    const server = await serve();
    const { evaluate } = remoteRig(optionsFor(server.url));

    expect(await evaluate(inputOf())).toEqual({
      status: 'completed',
      reason: null,
      judgments: {
        choice: { relation: 'off_goal', increment: 'no_new_evidence' },
        noul: { behavior_change: 0.03, serves_acceptance: 0.04, evidence_increment: 0.02 },
      },
      facts: expect.arrayContaining([{ fact: 'answered_relation', detail: 'off_goal 0.9' }]),
      evaluator: 'system-one',
      model: 'jev-1.13.0',
      question_version: changeQuestionVersion,
      usage: { input_tokens: 1890, output_tokens: 5 },
    });
  });

  it('sends one POST with the key, the pinned model and the five questions', async () => {
    const server = await serve(undefined, { key, prefix: '/gateway/api' });
    const { evaluate } = remoteRig(optionsFor(`${server.url}/`));

    await evaluate(inputOf());

    const [request] = server.seen;
    expect(request).toMatchObject({ method: 'POST', path: '/gateway/api/v1/systemone' });
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    });
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      model: 'jev-1.13.0',
      questions: Object.fromEntries(Object.keys(answersOf()).map((id) => [id, expect.anything()])),
    });
  });

  it('lets no environment variable of the SDK decide anything', async () => {
    const server = await serve();
    const other = await serve();
    vi.stubEnv('TYPESAFE_BASE_URL', other.url);
    vi.stubEnv('TYPESAFE_API_KEY', 'another-key');
    vi.stubEnv('TYPESAFE_DEFAULT_MODEL', 'jev-latest');
    vi.stubEnv('TYPESAFE_LOG_LEVEL', 'debug');
    const spoken = (['debug', 'info', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level));
    const { evaluate } = remoteRig(optionsFor(server.url));

    const evaluation = await evaluate(inputOf());

    expect(evaluation).toMatchObject({ status: 'completed', model: 'jev-1.13.0' });
    expect(other.seen).toHaveLength(0);
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(spoken.flatMap(({ mock }) => mock.calls)).toEqual([]);
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it('sends no credential to a local server that asks for none', async () => {
    const server = await serve(undefined, {});
    const unset = remoteRig(optionsFor(server.url), { env: {} });
    const none = remoteRig(optionsFor(server.url, { api_key_env: null }));

    expect((await unset.evaluate(inputOf())).status).toBe('completed');
    expect((await none.evaluate(inputOf())).status).toBe('completed');
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  });

  it.each<[string, Parameters<typeof optionsFor>[1], Record<string, string>, string]>([
    ['egress is not allowed', { allow_egress: false }, { DRIFT_TEST_KEY: key }, 'egress_not_allowed'],
    ['the key is missing', { base_url: 'https://api.example' }, {}, 'api_key_missing'],
    ['the key is blank', { base_url: 'https://api.example' }, { DRIFT_TEST_KEY: ' ' }, 'api_key_missing'],
    ['the key holds a line end', {}, { DRIFT_TEST_KEY: 'a\nb' }, 'api_key_invalid'],
    [
      'http leaves the machine',
      { base_url: 'http://api.example' },
      { DRIFT_TEST_KEY: key },
      'endpoint_not_https',
    ],
    [
      'http goes to a private network',
      { base_url: 'http://192.168.1.2' },
      { DRIFT_TEST_KEY: key },
      'endpoint_not_https',
    ],
    [
      'the URL carries a password',
      { base_url: 'https://a:b@api.example' },
      { DRIFT_TEST_KEY: key },
      'endpoint_invalid',
    ],
    ['the URL is none', { base_url: 'api.example' }, { DRIFT_TEST_KEY: key }, 'endpoint_invalid'],
    ['the request is too large', { max_request_bytes: 1_024 }, { DRIFT_TEST_KEY: key }, 'request_too_large'],
  ])('does not send when %s', async (_name, rest, env, reason) => {
    const server = await serve();
    const { evaluate, folder } = remoteRig(optionsFor(server.url, rest), { env });

    expect(await evaluate(inputOf())).toMatchObject({
      status: 'not_evaluated',
      reason,
      judgments: { choice: null, noul: null },
    });
    expect(server.seen).toHaveLength(0);
    expect(readRequestBudget(folder, 50)).toEqual({ used: 0, max: 50 });
  });

  it('does not ask twice about the same change', async () => {
    const server = await serve();
    const { evaluate } = remoteRig(optionsFor(server.url));

    const evaluation = await evaluate(
      inputOf(undefined, { history: { revisit: false, repetition: 2, cycle: false } }),
    );

    expect(evaluation).toMatchObject({ status: 'not_evaluated', reason: 'duplicate_evidence' });
    expect(server.seen).toHaveLength(0);
  });

  it('is stale when a guard fails before the send, which then does not happen', async () => {
    const server = await serve();
    const { evaluate, folder } = remoteRig(optionsFor(server.url), {
      guard: async () => 'contract_revision_changed',
    });

    expect(await evaluate(inputOf())).toMatchObject({ status: 'stale', reason: 'contract_revision_changed' });
    expect(server.seen).toHaveLength(0);
    expect(readRequestBudget(folder, 50)?.used).toBe(0);
  });

  it('is stale when a guard fails after the response', async () => {
    let changed = false;
    const server = await serve(() => {
      changed = true;
      return { kind: 'answer', answers: answersOf() };
    });
    const { evaluate } = remoteRig(optionsFor(server.url), {
      guard: async () => (changed ? 'configuration_changed' : null),
    });

    expect(await evaluate(inputOf())).toMatchObject({
      status: 'stale',
      reason: 'configuration_changed',
      judgments: { noul: null },
    });
    expect(server.seen).toHaveLength(1);
  });

  it('says that unchanged files did not fit', async () => {
    const server = await serve();
    const { evaluate } = remoteRig(optionsFor(server.url, { max_request_bytes: 15_000 }));
    const big = '#'.repeat(20_000);

    const { facts, status } = await evaluate(inputOf({ 'a.py': ['1', '2'], 'b.py': [big, big] }));

    expect(status).toBe('completed');
    expect(facts).toContainEqual({ fact: 'coverage', detail: 'changed_files_only' });
    expect(server.seen[0]?.body).not.toContain('b.py');
  });

  it('accepts the resolved version of a pinned name only where a prefix may match', async () => {
    const server = await serve(
      { kind: 'answer', answers: answersOf(), model: 'jev-1.13.0-b2' },
      { key, models: ['jev-1.13.0'] },
    );
    const exact = remoteRig(optionsFor(server.url));
    const prefix = remoteRig(optionsFor(server.url, { model_match: 'prefix' }));

    expect(await exact.evaluate(inputOf())).toMatchObject({ status: 'failed', reason: 'model_mismatch' });
    expect(await prefix.evaluate(inputOf())).toMatchObject({ status: 'completed', model: 'jev-1.13.0-b2' });
  });
});

describe('at most once', () => {
  it('replays a saved answer instead of asking again', async () => {
    const server = await serve();
    const { evaluate, setting } = remoteRig(optionsFor(server.url));
    const first = await evaluate(inputOf());

    const again = await createSystemOneEvaluator(setting)(inputOf());

    expect(again).toEqual(first);
    expect(server.seen).toHaveLength(1);
  });

  it('replays a saved failure too', async () => {
    const server = await serve({ kind: 'raw', status: 429, body: '{"error":"slow down"}' });
    const { evaluate } = remoteRig(optionsFor(server.url));

    const reasons = [(await evaluate(inputOf())).reason, (await evaluate(inputOf())).reason];

    expect(reasons).toEqual(['provider_rate_limited', 'provider_rate_limited']);
    expect(server.seen).toHaveLength(1);
  });

  it('does not send when the reservation of a dead process is there', async () => {
    const server = await serve();
    const { evaluate, setting } = remoteRig(optionsFor(server.url));
    setting.ledger.reserve({ eventId: eventId(1), requestKey: 'k', reservedAt: 'then' }, 50);

    expect(await evaluate(inputOf())).toMatchObject({
      status: 'not_evaluated',
      reason: 'may_have_been_sent',
    });
    expect(server.seen).toHaveLength(0);
  });

  it('does not use an answer to another request', async () => {
    const server = await serve();
    const { evaluate } = remoteRig(optionsFor(server.url));
    await evaluate(inputOf());

    expect(await evaluate(inputOf({ 'a.py': ['x', 'y'] }))).toMatchObject({
      status: 'stale',
      reason: 'request_changed',
    });
    expect(server.seen).toHaveLength(1);
  });

  it('takes a damaged answer for a request that was sent', async () => {
    const server = await serve();
    const { evaluate, folder } = remoteRig(optionsFor(server.url));
    await evaluate(inputOf());
    writeFileSync(join(folder, 'answers', `${eventId(1)}.json`), '{"outcome":');

    expect(await evaluate(inputOf())).toMatchObject({
      status: 'not_evaluated',
      reason: 'may_have_been_sent',
    });
    expect(server.seen).toHaveLength(1);
  });

  it('keeps what it writes private and without the key', async () => {
    const server = await serve();
    const { evaluate, folder } = remoteRig(optionsFor(server.url));
    await evaluate(inputOf());

    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
    const id = eventId(1);
    expect(files).toEqual([
      'answers',
      `answers/${id}.json`,
      'budget.json',
      'reserved',
      `reserved/${id}.json`,
      'slots',
      'slots/1',
      'tmp',
    ]);
    expect(readFileSync(join(folder, 'answers', `${id}.json`), 'utf8')).not.toContain(key);
  });

  it('does not send when the reservation cannot be written', async () => {
    const server = await serve();
    const { evaluate, folder } = remoteRig(optionsFor(server.url));
    writeFileSync(folder, 'a file where the folder should be');

    expect(await evaluate(inputOf())).toMatchObject({
      status: 'not_evaluated',
      reason: 'reservation_unwritable',
    });
    expect(server.seen).toHaveLength(0);
  });
});

describe('the request budget', () => {
  const askAbout = async (
    rig: ReturnType<typeof remoteRig>,
    n: number,
    max: number,
  ): Promise<string | null> => {
    const options = { ...rig.setting.options, max_requests: max };
    const evaluate = createSystemOneEvaluator({ ...rig.setting, options, eventId: eventId(n) });
    return (await evaluate(inputOf({ 'a.py': ['x', `y${n}`] }))).reason;
  };

  it('counts what was sent, failures included, and ends at the first number used', async () => {
    const server = await serve((_body, n) =>
      n === 1 ? { kind: 'reset' } : { kind: 'answer', answers: answersOf() },
    );
    const rig = remoteRig(optionsFor(server.url));

    const reasons = [await askAbout(rig, 1, 2), await askAbout(rig, 2, 2), await askAbout(rig, 3, 2)];

    expect(reasons).toEqual(['connection_lost', null, 'request_budget_exhausted']);
    expect(server.seen).toHaveLength(2);
    expect(readRequestBudget(rig.folder, 2)).toEqual({ used: 2, max: 2 });
  });

  it('is not raised by another number in the configuration, only outright', async () => {
    const server = await serve();
    const rig = remoteRig(optionsFor(server.url));
    await askAbout(rig, 1, 1);

    const edited = await askAbout(rig, 2, 100);
    setRequestBudget(rig.folder, 2);
    const raised = await askAbout(rig, 2, 100);

    expect([edited, raised]).toEqual(['request_budget_exhausted', null]);
    expect(readRequestBudget(rig.folder, 100)).toEqual({ used: 2, max: 2 });
  });

  it('is lowered by a smaller number in the configuration', async () => {
    const server = await serve();
    const rig = remoteRig(optionsFor(server.url));
    await askAbout(rig, 1, 10);

    expect(await askAbout(rig, 2, 1)).toBe('request_budget_exhausted');
  });

  it('allows nothing when its file cannot be read', async () => {
    const server = await serve();
    const rig = remoteRig(optionsFor(server.url));
    await askAbout(rig, 1, 10);
    writeFileSync(join(rig.folder, 'budget.json'), '{"max":1e9}');

    expect(await askAbout(rig, 2, 10)).toBe('request_budget_unreadable');
    expect(server.seen).toHaveLength(1);
  });

  it('counts a thousand requests without reading them', async () => {
    const rig = remoteRig(optionsFor('http://127.0.0.1:9'));
    for (let n = 1; n <= 1_000; n += 1)
      rig.setting.ledger.reserve({ eventId: eventId(n), requestKey: 'k', reservedAt: 'then' }, 2_000);

    expect(readRequestBudget(rig.folder, 2_000)).toEqual({ used: 1_000, max: 2_000 });
  });
});
