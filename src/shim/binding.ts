import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { configKeys, configSchemaVersion, scopeCeilings, scopeDefaults } from '../contract/config-keys.ts';
import type { Observer } from '../contract/observer.ts';
import { parseStrictJson } from '../json/strict-json.ts';

const MAX_CONFIG_BYTES = 65_536;
const MAX_OBSERVER_BYTES = 1_048_576;

/** What a capture has to know of its observer; read without a schema library, before the command starts. */
export interface Binding {
  readonly observer: Observer;
  readonly mode: 'off' | 'shadow';
  readonly host: 'auto' | 'generic' | 'loopx';
  readonly span: 'turn' | 'refresh' | undefined;
  readonly evaluator: string;
  readonly threshold: number;
  readonly signalRule: 'v1' | 'v2';
  readonly diagnostics: 'file' | 'stderr' | 'off';
  readonly scope: {
    readonly max_files: number;
    readonly max_bytes: number;
    readonly max_delta_bytes: number;
  };
  readonly configBytes: Buffer;
}

/** The binding, or one word for why the command only passes through. */
export type BindingRead = { readonly binding: Binding } | { readonly passThrough: string };

/**
 * Reads `observer.json` and `config.json` as far as a capture needs them. A configuration that the schema would refuse
 * for a key or a value used here is refused here too; nothing is captured under a file that nobody can vouch for.
 */
export function readBinding(files: { readonly observer: string; readonly config: string }): BindingRead {
  const observerBytes = readSmallFile(files.observer, MAX_OBSERVER_BYTES);
  if (observerBytes === null) return { passThrough: 'no_observer' };
  const observer = parseObject(observerBytes);
  if (observer?.['schema_version'] !== 'drift_observer_v1') return { passThrough: 'observer_invalid' };
  const configBytes = readSmallFile(files.config, MAX_CONFIG_BYTES);
  if (configBytes === null) return { passThrough: 'config_unreadable' };
  const config = parseObject(configBytes);
  if (config === null) return { passThrough: 'config_invalid' };
  return bind(observer as unknown as Observer, config, configBytes);
}

type Fields = Record<string, unknown>;

function bind(observer: Observer, config: Fields, configBytes: Buffer): BindingRead {
  const invalid = { passThrough: 'config_invalid' };
  if (config['schema_version'] !== configSchemaVersion) return invalid;
  if (Object.keys(config).some((key) => !(configKeys as readonly string[]).includes(key))) return invalid;
  const mode = oneOf(config['mode'], ['shadow', 'off'] as const);
  const host = oneOf(config['host'], ['auto', 'generic', 'loopx'] as const);
  const diagnostics = oneOf(config['diagnostics'], ['file', 'stderr', 'off'] as const);
  const evaluator = oneOf(config['evaluator'], ['structural', 'system-one', 'cascade', 'chat'] as const);
  const signalRule = oneOf(config['signal_rule'], ['v2', 'v1'] as const);
  const span = config['span'] === undefined ? undefined : oneOf(config['span'], ['turn', 'refresh'] as const);
  const threshold = config['minimum_label_probability'] ?? 0.6;
  const scope = readScope(config['scope'] ?? {});
  if (!mode || !host || !diagnostics || !evaluator || !signalRule || span === null || !scope) return invalid;
  if (typeof threshold !== 'number' || threshold < 0.5 || threshold > 1) return invalid;
  return {
    binding: {
      observer,
      mode,
      host,
      span,
      evaluator,
      threshold,
      signalRule,
      diagnostics,
      scope,
      configBytes,
    },
  };
}

/** The value if it is listed, the first one if there is none, null if it is something else. */
function oneOf<T extends string>(value: unknown, listed: readonly [T, ...T[]]): T | null {
  if (value === undefined) return listed[0];
  return listed.find((item) => item === value) ?? null;
}

function readScope(value: unknown): Binding['scope'] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const given = value as Fields;
  const take = (key: keyof typeof scopeDefaults, ceiling: number): number => {
    const number = given[key] ?? scopeDefaults[key];
    return Number.isInteger(number) && (number as number) >= 1 && (number as number) <= ceiling
      ? (number as number)
      : 0;
  };
  const scope = {
    max_files: take('max_files', scopeCeilings.max_files),
    max_bytes: take('max_bytes', scopeCeilings.max_bytes),
    max_delta_bytes: take('max_delta_bytes', scopeCeilings.max_bytes),
  };
  const known = Object.keys(given).every((key) => key in scopeDefaults);
  return known && scope.max_files && scope.max_bytes && scope.max_delta_bytes ? scope : null;
}

function parseObject(bytes: Buffer): Fields | null {
  const parsed = parseStrictJson(bytes.toString('utf8'));
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null || Array.isArray(parsed.value))
    return null;
  return parsed.value;
}

/** The bytes of a small regular file; null for anything else. Never follows a link, never waits on a pipe. */
export function readSmallFile(file: string, maxBytes: number): Buffer | null {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > maxBytes) return null;
    const bytes = Buffer.alloc(stat.size);
    return bytes.subarray(0, readSync(fd, bytes, 0, stat.size, 0));
  } catch {
    return null;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
