import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it came over the wire. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What the server does with a request that it accepts. */
export type Behaviour =
  | { readonly kind: 'answer'; readonly answers: object; readonly model?: string; readonly extra?: object }
  | {
      readonly kind: 'raw';
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly body: string | Uint8Array;
    }
  /** Takes the request and never says anything. */
  | { readonly kind: 'hang' }
  /** Sends the head and half of the body, then nothing more. */
  | { readonly kind: 'stall'; readonly body: string }
  /** Promises more bytes than it sends, then closes the connection. */
  | { readonly kind: 'cut'; readonly body: string }
  /** Closes the connection without a byte. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'flood'; readonly bytes: number };

export interface SystemOneServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

export interface ServerOptions {
  /** Chosen for each accepted request; `count` starts at 1. */
  readonly behave: (request: SystemOneBody, count: number) => Behaviour | Promise<Behaviour>;
  /** Asked for as a bearer token; without one the server asks for none. */
  readonly key?: string;
  readonly models?: readonly string[];
  /** Where the API lies below the root, as behind a gateway. */
  readonly prefix?: string;
}

export interface SystemOneBody {
  readonly state: unknown;
  readonly model: string;
  readonly questions: Record<
    string,
    { type: string; instructions: string; criteria: Record<string, string> }
  >;
}

const resolved = 'jev-1.13.0';

/** A System One server on loopback that speaks the wire (request checks, answers, errors) and every fault of it. */
export async function startSystemOneServer(options: ServerOptions): Promise<SystemOneServer> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const { method = '', url: path = '', headers } = request;
    seen.push({ method, path, headers, body });
    const refusal = refuse(options, { method, path, headers, body });
    if (refusal) return send(response, refusal);
    const parsed = JSON.parse(body) as SystemOneBody;
    await act(response, parsed, await options.behave(parsed, seen.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${options.prefix ?? ''}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string | Uint8Array;
}

const send = (response: ServerResponse, { status, headers, body }: Reply): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
};

const problem = (status: number, body: object): Reply => ({ status, body: JSON.stringify(body) });

const finding = (loc: string[], msg: string): Reply =>
  problem(422, { detail: [{ loc: ['body', ...loc], msg, type: 'value_error' }] });

function refuse(options: ServerOptions, { method, path, headers, body }: SeenRequest): Reply | null {
  if (path !== `${options.prefix ?? ''}/v1/systemone`) return problem(404, { detail: 'Not Found' });
  if (method !== 'POST') return problem(405, { detail: 'Method Not Allowed' });
  if (options.key && headers.authorization !== `Bearer ${options.key}`)
    return problem(401, { error: { message: `Invalid API key: ${headers.authorization ?? ''}` } });
  let parsed: Partial<SystemOneBody>;
  try {
    parsed = JSON.parse(body) as Partial<SystemOneBody>;
  } catch {
    return finding([], 'not JSON');
  }
  return refuseBody(options, parsed);
}

function refuseBody(options: ServerOptions, body: Partial<SystemOneBody>): Reply | null {
  const unknown = Object.keys(body).find((key) => !['state', 'model', 'questions'].includes(key));
  if (unknown) return finding([unknown], 'Extra inputs are not permitted');
  if (!('state' in body)) return finding(['state'], 'Field required');
  if (!(options.models ?? [resolved, 'jev-latest']).includes(body.model ?? ''))
    return problem(400, { message: `Unknown model ${body.model}` });
  const questions = Object.entries(body.questions ?? {});
  if (questions.length === 0) return finding(['questions'], 'At least one question is required');
  const bad = questions.find(
    ([, { type, criteria }]) =>
      !['noul', 'choice'].includes(type) || (type === 'choice' && Object.keys(criteria).length < 2),
  );
  return bad ? finding(['questions', bad[0]], 'Invalid question') : null;
}

async function act(response: ServerResponse, request: SystemOneBody, behaviour: Behaviour): Promise<void> {
  switch (behaviour.kind) {
    case 'answer':
      return send(response, { status: 200, body: JSON.stringify(responseBody(request, behaviour)) });
    case 'raw':
      return send(response, { status: 200, ...behaviour });
    case 'hang':
      return;
    case 'stall':
      response.writeHead(200, { 'content-length': String(behaviour.body.length) });
      response.write(behaviour.body.slice(0, behaviour.body.length / 2));
      return;
    case 'cut':
      response.writeHead(200, { 'content-length': String(behaviour.body.length + 64) });
      response.write(behaviour.body, () => response.destroy());
      return;
    case 'reset':
      response.destroy();
      return;
    case 'flood':
      return flood(response, behaviour.bytes);
  }
}

async function flood(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(65_536, 0x20);
  for (let sent = 0; sent < bytes && !response.destroyed; sent += chunk.length) {
    if (!response.write(chunk))
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
  response.end();
}

/** The body of a good response to `request`. */
export function responseBody(
  request: Pick<SystemOneBody, 'model'>,
  { answers, model, extra }: { answers: object; model?: string; extra?: object },
): object {
  const resolvedModel = model ?? (request.model.includes('latest') ? resolved : request.model);
  return { model: resolvedModel, answers, usage: { input_tokens: 1890, output_tokens: 5 }, ...extra };
}

export interface Opinion {
  readonly relation?: string;
  readonly increment?: string;
  /** Probability of the chosen labels. */
  readonly sure?: number;
  readonly behavior_change?: number;
  readonly serves_acceptance?: number;
  readonly evidence_increment?: number;
}

const relations = ['on_goal', 'necessary_prerequisite', 'off_goal', 'unknown'];
const increments = ['new_evidence', 'no_new_evidence', 'unknown'];

/** The five answers that hold an opinion; drift unless said otherwise. */
export function answersOf(opinion: Opinion = {}): Record<string, object> {
  const { relation = 'off_goal', increment = 'no_new_evidence', sure = 0.9 } = opinion;
  return {
    relation: choiceOf(relations, relation, sure),
    increment: choiceOf(increments, increment, sure),
    behavior_change: { type: 'noul', noul: opinion.behavior_change ?? 0.03 },
    serves_acceptance: { type: 'noul', noul: opinion.serves_acceptance ?? 0.04 },
    evidence_increment: { type: 'noul', noul: opinion.evidence_increment ?? 0.02 },
  };
}

function choiceOf(labels: readonly string[], choice: string, sure: number): object {
  const rest = (1 - sure) / (labels.length - 1);
  const probabilities = Object.fromEntries(
    labels.map((label) => [label, Number((label === choice ? sure : rest).toFixed(2))]),
  );
  return { type: 'choice', choice, probabilities, confidence: sure };
}
