import { type Config, configSchema } from '../contract/config.ts';
import type { Failure } from '../contract/failure.ts';
import { parseShape } from '../contract/parse.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { readJsonFile } from '../json/read-json-file.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import { errorCode } from '../spool/spool-io.ts';
import type { LoadedObserver } from './load-observer.ts';
import { replaceText } from './replace-text.ts';

/** One wanted setting; a key may lead into an object: `system_one.max_requests`. An empty value removes the key. */
export interface Setting {
  readonly key: string;
  readonly value: string;
}

/** A configuration as it is and as it would be. */
export interface Reconfigured {
  readonly before: Config;
  readonly after: Config;
  readonly changed: boolean;
  readonly text: string;
}

type Fields = { [key: string]: unknown };

/** Works out the new configuration without writing it; keys that are not named stay as they stand in the file. */
export function planReconfigure(
  loaded: LoadedObserver,
  settings: readonly Setting[],
): Result<Reconfigured, Failure> {
  const read = readJsonFile(loaded.configFile, 65_536);
  if (!read.ok) return read;
  const next = structuredClone(read.value.value) as Fields;
  for (const setting of settings) {
    const placed = place(next, setting);
    if (!placed.ok) return placed;
  }
  const parsed = parseShape(configSchema, next, { file: loaded.configFile, reason: 'config_invalid' });
  if (!parsed.ok) return parsed;
  const changed = JSON.stringify(next) !== JSON.stringify(read.value.value);
  return ok({
    before: loaded.config,
    after: parsed.value,
    changed,
    text: `${JSON.stringify(next, null, 2)}\n`,
  });
}

function place(config: Fields, { key, value }: Setting): Result<null, Failure> {
  const parts = key.split('.');
  const last = parts.pop() ?? '';
  let at = config;
  for (const part of parts) {
    const inner = at[part] ?? {};
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner) || part === '__proto__')
      return fail({ reason: 'config_invalid', field: key, detail: `${part} is no object` });
    at[part] = inner;
    at = inner as Fields;
  }
  if (last === '' || last === '__proto__')
    return fail({ reason: 'usage', field: key, detail: 'a setting is KEY=VALUE' });
  if (value === '') delete at[last];
  else at[last] = readValue(value);
  return ok(null);
}

/** JSON where it is JSON, else the text itself: `0.7`, `true`, `structural`. */
function readValue(value: string): unknown {
  const parsed = parseStrictJson(value);
  return parsed.ok ? parsed.value : value;
}

/**
 * Writes the configuration and moves the epoch, which makes work in flight stale and the next refresh take a new
 * baseline (design §5). The epoch moves first: between the two writes nothing captured before can pass for current.
 */
export function applyReconfigure(loaded: LoadedObserver, { text }: Reconfigured): Result<number, Failure> {
  const epoch = loaded.observer.epoch + 1;
  try {
    replaceText(loaded.layout.observer, `${JSON.stringify({ ...loaded.observer, epoch }, null, 2)}\n`);
    replaceText(loaded.configFile, text);
    return ok(epoch);
  } catch (error) {
    if (errorCode(error))
      return fail({ reason: 'write_failed', file: loaded.configFile, detail: errorCode(error) ?? '' });
    throw error;
  }
}
