import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { driftProgram, type Rig, whenDone } from './rig.ts';

export interface ServedDashboard {
  /** The first line that was printed. */
  readonly line: string;
  readonly url: URL;
  readonly token: string;
  readonly stop: () => Promise<number | string | null>;
}

/** Runs `drift dashboard` until the test ends. */
export async function serveDashboard(rig: Rig, ...words: string[]): Promise<ServedDashboard> {
  const child = spawn(driftProgram, ['dashboard', '--state-dir', rig.state, ...words], { cwd: rig.work });
  const ended = new Promise<number | string | null>((resolve) =>
    child.on('close', (code, signal) => resolve(signal ?? code)),
  );
  const stop = (): Promise<number | string | null> => {
    child.kill('SIGTERM');
    return ended;
  };
  whenDone(stop);
  const line = await new Promise<string>((resolve, reject) => {
    let out = '';
    child.stdout.on('data', (bytes: Buffer) => {
      out += bytes.toString();
      if (out.includes('\n')) resolve(out.slice(0, out.indexOf('\n')));
    });
    child.on('close', () => reject(new Error('the dashboard ended before it printed its URL')));
  });
  const url = new URL(line);
  return { line, url, token: url.searchParams.get('token') ?? '', stop };
}

export interface Asked {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a document.
  readonly json: any;
}

interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
}

/** One request with exactly these headers; a browser would not let a test choose them. */
export function ask(url: URL | string, { method = 'GET', headers = {}, body }: Ask = {}): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...headers }, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (bytes: Buffer) => parts.push(bytes));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: text.startsWith('{') ? JSON.parse(text) : null,
        });
      });
    });
    sent.on('error', reject);
    sent.end(typeof body === 'object' ? JSON.stringify(body) : body);
  });
}

/** Requests of the page's own kind, with the token. */
export function pageOf({ url, token }: ServedDashboard) {
  const headers = { authorization: `Bearer ${token}` };
  return {
    goals: async () => (await ask(new URL('/api/goals', url), { headers })).json.goals,
    get: (path: string) => ask(new URL(path, url), { headers }),
    post: (path: string, body: string | object, more: Record<string, string> = {}) =>
      ask(new URL(path, url), {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', ...more },
        body,
      }),
  };
}
