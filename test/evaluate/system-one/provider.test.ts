import { readdirSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { key, optionsFor, remoteRig, serve } from '../../support/remote.ts';
import { answersOf, type Behaviour, responseBody } from '../../support/system-one-server.ts';
import { inputOf } from '../../support/transition.ts';

const good = JSON.stringify(responseBody({ model: 'jev-1.13.0' }, { answers: answersOf() }));
const raw = (
  body: string | Uint8Array,
  rest: Partial<Extract<Behaviour, { kind: 'raw' }>> = {},
): Behaviour => ({
  kind: 'raw',
  body,
  ...rest,
});
const refusal = (status: number, body: unknown = { error: 'no' }, headers = {}): Behaviour =>
  raw(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

/** The response with one text in it replaced, so that the fault stands in otherwise good bytes. */
const altered = (from: string, to: string): Behaviour => {
  expect(good).toContain(from);
  return raw(good.replace(from, to));
};
const relation = '"off_goal":0.9';

describe('what a provider may get wrong', () => {
  it.each<[string, Behaviour, string]>([
    ['400', refusal(400), 'provider_bad_request'],
    ['401', refusal(401), 'provider_unauthorized'],
    ['403', refusal(403), 'provider_forbidden'],
    ['404', refusal(404), 'provider_not_found'],
    ['413', refusal(413), 'provider_payload_too_large'],
    ['422', refusal(422), 'provider_unprocessable'],
    ['429, retry at once', refusal(429, {}, { 'retry-after': '0' }), 'provider_rate_limited'],
    ['429, retry soon', refusal(429, {}, { 'retry-after': '2' }), 'provider_rate_limited'],
    ['429, retry in an hour', refusal(429, {}, { 'retry-after': '3600' }), 'provider_rate_limited'],
    [
      '429, retry at a date',
      refusal(429, {}, { 'retry-after': 'Wed, 01 Jan 2031 00:00:00 GMT' }),
      'provider_rate_limited',
    ],
    ['529', refusal(529), 'provider_overloaded'],
    ['500', refusal(500), 'provider_http_500'],
    ['503', refusal(503, 'down'), 'provider_http_503'],
    ['418', refusal(418), 'provider_http_418'],
    [
      'a redirect',
      raw('', { status: 302, headers: { location: 'https://example.com/' } }),
      'provider_redirected',
    ],
    [
      'a permanent redirect',
      raw('', { status: 308, headers: { location: '/v1/systemone' } }),
      'provider_redirected',
    ],
    [
      'HTML with 200',
      raw('<!doctype html><p>hi</p>', { headers: { 'content-type': 'text/html' } }),
      'response_html',
    ],
    ['HTML called JSON', raw('<html></html>'), 'response_html'],
    ['nothing', raw(''), 'response_empty'],
    ['204', raw('', { status: 204 }), 'response_empty'],
    ['text', raw('ok'), 'response_not_json'],
    ['text after the document', raw(`${good} {}`), 'response_trailing_text'],
    ['not UTF-8', raw(Buffer.from([0x7b, 0xff, 0x7d])), 'response_not_utf8'],
    ['a cut body', { kind: 'cut', body: good.slice(0, 100) }, 'response_cut'],
    ['a cut body of the right length', raw(good.slice(0, 100)), 'response_cut'],
    ['a body that stalls', { kind: 'stall', body: good }, 'deadline_exceeded'],
    ['no answer', { kind: 'hang' }, 'deadline_exceeded'],
    ['a closed connection', { kind: 'reset' }, 'connection_lost'],
    ['too many bytes', { kind: 'flood', bytes: 50_000_000 }, 'response_too_large'],
    ['too deep', raw(`${'['.repeat(5000)}${']'.repeat(5000)}`), 'response_too_deep'],
    ['a list', raw('[]'), 'response_not_an_object'],
    ['another model', altered('jev-1.13.0', 'jev-1.14.0'), 'model_mismatch'],
    ['a longer model', altered('jev-1.13.0', 'jev-1.13.01'), 'model_mismatch'],
    ['no model', altered('"model":"jev-1.13.0",', ''), 'model_missing'],
    ['no answers', raw('{"model":"jev-1.13.0"}'), 'answers_missing'],
    ['a missing question', altered('"relation":{', '"relations":{'), 'answer_missing'],
    [
      'an extra question',
      altered('"answers":{', '"answers":{"extra":{"type":"noul","noul":0.5},'),
      'answer_unexpected',
    ],
    ['another type', altered('"type":"choice"', '"type":"noul"'), 'answer_type_differs'],
    ['no object', altered('{"type":"noul","noul":0.03}', '0.03'), 'answer_malformed'],
    [
      'a choice that is not the most probable',
      altered('"choice":"off_goal"', '"choice":"on_goal"'),
      'choice_not_most_probable',
    ],
    ['an unknown choice', altered('"choice":"off_goal"', '"choice":"banana"'), 'choice_unknown_label'],
    ['a missing label', altered('"on_goal":0.03,', ''), 'label_missing'],
    ['an extra label', altered('"on_goal":0.03,', '"on_goal":0.03,"banana":0,'), 'label_unexpected'],
    ['a sum of 0.9', altered(relation, '"off_goal":0.81'), 'probability_sum_off'],
    ['NaN', altered(relation, '"off_goal":NaN'), 'response_not_finite'],
    ['Infinity', altered('0.03}', 'Infinity}'), 'response_not_finite'],
    ['1e999', altered('0.03}', '1e999}'), 'response_not_finite'],
    ['1.2', altered('"noul":0.03', '"noul":1.2'), 'probability_out_of_range'],
    ['-0.1', altered('"noul":0.03', '"noul":-0.1'), 'probability_out_of_range'],
    ['"0.9"', altered(relation, '"off_goal":"0.9"'), 'probability_not_a_number'],
    ['true', altered('"noul":0.03', '"noul":true'), 'probability_not_a_number'],
    ['null', altered('"noul":0.03', '"noul":null'), 'probability_not_a_number'],
    ['a duplicate key', altered('"noul":0.03', '"noul":0.9,"noul":0.03'), 'response_duplicate_key'],
  ])('fails for %s', async (_name, behaviour, reason) => {
    const server = await serve(behaviour);
    const { evaluate } = remoteRig(
      optionsFor(server.url, { deadline_ms: reason === 'deadline_exceeded' ? 300 : 20_000 }),
    );

    const evaluation = await evaluate(inputOf());

    expect(evaluation).toMatchObject({ status: 'failed', reason, judgments: { choice: null, noul: null } });
    expect(server.seen).toHaveLength(1);
  });

  it.each<[string, Behaviour]>([
    ['a sum of 1.01', altered(relation, '"off_goal":0.91')],
    ['a sum of 0.98', altered(relation, '"off_goal":0.89')],
    ['extra top-level fields', altered('"model"', '"latency_ms":12,"model"')],
    ['extra answer fields', altered('"type":"noul"', '"type":"noul","confidence":0.9')],
    ['no confidence', altered(',"confidence":0.9', '')],
    ['no usage', altered(/"usage":\{[^}]*\}/.exec(good)?.[0] ?? '', '"usage":null')],
  ])('accepts %s', async (_name, behaviour) => {
    const server = await serve(behaviour);
    const { evaluate } = remoteRig(optionsFor(server.url));

    const evaluation = await evaluate(inputOf());

    expect(evaluation).toMatchObject({
      status: 'completed',
      judgments: { choice: { relation: 'off_goal' } },
    });
  });

  it('accepts the lower of two labels that tie within a rounding step', async () => {
    const tie = { on_goal: 0.49, necessary_prerequisite: 0, off_goal: 0.5, unknown: 0.01 };
    const answers = { ...answersOf(), relation: { type: 'choice', choice: 'on_goal', probabilities: tie } };
    const server = await serve({ kind: 'answer', answers });
    const { evaluate } = remoteRig(optionsFor(server.url));

    const evaluation = await evaluate(inputOf());

    expect(evaluation).toMatchObject({ status: 'completed', judgments: { choice: { relation: 'unknown' } } });
  });

  it('names a server that is not there', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const { evaluate } = remoteRig(optionsFor(`http://127.0.0.1:${port}`));

    expect(await evaluate(inputOf())).toMatchObject({ status: 'failed', reason: 'provider_unreachable' });
  });

  it('names a server that speaks no TLS', async () => {
    const server = await serve();
    const { evaluate } = remoteRig(optionsFor(server.url.replace('http:', 'https:')));

    expect(await evaluate(inputOf())).toMatchObject({ status: 'failed', reason: 'tls_failed' });
  });

  it.each<[string, unknown, string]>([
    ['error as text', { error: 'model is loading' }, 'model is loading'],
    ['message as text', { message: 'model is loading' }, 'model is loading'],
    ['error as an object', { error: { message: 'model is loading', code: 7 } }, 'model is loading'],
    [
      'detail as findings',
      { detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] },
      'Field required',
    ],
    ['detail as text', { detail: 'too many questions' }, 'too many questions'],
  ])('keeps what the provider said: %s', async (_name, body, said) => {
    const server = await serve(refusal(422, body));
    const { evaluate } = remoteRig(optionsFor(server.url));

    const { facts } = await evaluate(inputOf());

    expect(facts).toEqual([{ fact: 'provider_said', detail: said }]);
  });

  it('never repeats the key, whatever a server does with it', async () => {
    const echo = `bad key ${key} in Bearer ${key}`;
    const server = await serve((_body, n) => refusal(n === 1 ? 422 : 401, { error: echo }));
    const first = remoteRig(optionsFor(server.url));
    const second = remoteRig(optionsFor(server.url));

    const evaluations = [await first.evaluate(inputOf()), await second.evaluate(inputOf())];

    const written = [first, second].flatMap(({ folder }) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    );
    expect(JSON.stringify(evaluations) + written.join()).not.toContain(key);
    expect(evaluations.map(({ reason }) => reason)).toEqual([
      'provider_unprocessable',
      'provider_unauthorized',
    ]);
  });
});
