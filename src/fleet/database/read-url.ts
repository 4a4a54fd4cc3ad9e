import type { Failure } from '../../contract/failure.ts';
import { fail, ok, type Result } from '../../contract/result.ts';

/** The variable that is read where nothing else is said. */
export const defaultUrlVariable = 'DRIFT_DATABASE_URL';

export interface UrlSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Name of the variable that holds the URL; the URL itself is never an argument, which other users could read. */
  readonly variable: string;
}

const loopback = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/**
 * The connection string, if it is one that may be used: beyond this machine only with a verified certificate, because
 * texts of the owner's files and receipts travel over it. Reasons: database_url_invalid, database_unsafe.
 */
export function readDatabaseUrl({ env, variable }: UrlSource): Result<string, Failure> {
  const text = env[variable];
  if (!text) return fail({ reason: 'database_url_invalid', field: variable, detail: 'it is not set' });
  const url = parseUrl(text);
  if (url === null) return fail({ reason: 'database_url_invalid', field: variable });
  const host = url.searchParams.get('host') ?? url.hostname;
  if (host === NO_HOST)
    return fail({ reason: 'database_url_invalid', field: variable, detail: 'it names no host' });
  const mode = url.searchParams.get('sslmode');
  if (host.startsWith('/') || loopback.has(host) || mode === 'verify-full') return ok(text);
  return fail({
    reason: 'database_unsafe',
    field: variable,
    detail: `sslmode is ${mode ?? 'not set'} and the server is on another machine`,
  });
}

/** Stands in where there is none: `postgres://user@/name?host=/socket/folder`, which `URL` refuses. */
const NO_HOST = 'none.invalid';

function parseUrl(text: string): URL | null {
  const match = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text);
  if (!match) return null;
  try {
    return new URL(match[1] === '' ? text.replace(/^([a-z]+:\/\/[^/?#]*)/, `$1${NO_HOST}`) : text);
  } catch {
    return null;
  }
}
