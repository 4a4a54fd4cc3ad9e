import { existsSync } from 'node:fs';
import { type Basis, basisMaxBytes, basisSchema } from '../contract/basis.ts';
import { type Config, configSchema } from '../contract/config.ts';
import { originalConfigVersion } from '../contract/config-keys.ts';
import type { Failure } from '../contract/failure.ts';
import { type Observer, observerSchema, observerSchemaVersion } from '../contract/observer.ts';
import { parseShape } from '../contract/parse.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { readJsonFile, readOwnFile } from '../json/read-json-file.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import { isNamed, locateConfig, locateState } from '../spool/locate-state.ts';
import {
  type GoalLayout,
  goalLayout,
  type StateLayout,
  stateFormat,
  stateLayout,
} from '../spool/state-layout.ts';
import { whyNotPrivate } from '../spool/state-privacy.ts';
import { translateOriginalConfig } from './original-config.ts';

const MAX_CONFIG_BYTES = 65_536;
const MAX_OBSERVER_BYTES = 1_048_576;

/** One observer with everything that it is bound to, checked. */
export interface LoadedObserver {
  readonly state: string;
  readonly layout: StateLayout;
  readonly goal: GoalLayout;
  readonly observer: Observer;
  readonly config: Config;
  readonly configFile: string;
  /** sha256 of the configuration's bytes. */
  readonly configDigest: string;
  readonly basis: Basis;
  /** sha256 of the basis file's bytes. */
  readonly contractRevision: string;
}

export interface ObserverQuery {
  readonly stateDir?: string | undefined;
  readonly config?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** A binding without what it is bound to, which may have moved away. */
export type FoundBinding = Pick<LoadedObserver, 'state' | 'layout' | 'observer'>;

/** Finds an observer and reads its binding, and nothing that lies elsewhere. */
export function findBinding(query: ObserverQuery): Result<FoundBinding, Failure> {
  const state = locateState(query);
  if (state === null) return fail({ reason: 'state_not_found' });
  const open = whyNotPrivate(state, isNamed(query));
  if (open !== null) return fail({ reason: 'state_not_private', file: state, detail: open });
  const layout = stateLayout(state);
  const format = checkFormat(layout, state);
  if (!format.ok) return format;
  const observer = loadBinding(layout);
  return observer.ok ? ok({ state, layout, observer: observer.value }) : observer;
}

/** Finds and reads an observer. Every failure names its file, its key and the next step. */
export function loadObserver(query: ObserverQuery): Result<LoadedObserver, Failure> {
  const found = findBinding(query);
  if (!found.ok) return found;
  const { state, layout, observer } = found.value;
  const configFile = locateConfig(state, query.config, query);
  const config = loadConfig(configFile);
  if (!config.ok) return config;
  const basis = loadBasis(observer.basis_file);
  if (!basis.ok) return existsSync(observer.workspace) ? basis : fail(movedAway(observer));
  return ok({
    state,
    layout,
    goal: goalLayout(observer.runtime_root, observer.goal_id),
    observer,
    config: config.value.config,
    configFile,
    configDigest: config.value.digest,
    basis: basis.value.basis,
    contractRevision: basis.value.revision,
  });
}

const movedAway = ({ workspace }: Observer): Failure => ({
  reason: 'workspace_unreadable',
  file: workspace,
  detail: 'it is not there any more',
});

/** An unknown format is another version's; nothing of it is touched. */
export function checkFormat(layout: StateLayout, state: string): Result<null, Failure> {
  const read = readOwnFile(layout.format, 256);
  if (!read.ok)
    return fail(
      read.failure.reason === 'file_missing' ? { reason: 'state_not_found', file: state } : read.failure,
    );
  const format = read.value.toString('utf8').trim();
  return format === stateFormat
    ? ok(null)
    : fail({ reason: 'state_version_unknown', file: layout.format, detail: format.slice(0, 60) });
}

function loadBinding(layout: StateLayout): Result<Observer, Failure> {
  const read = readJsonFile(layout.observer, MAX_OBSERVER_BYTES);
  if (!read.ok)
    return fail(
      read.failure.reason === 'file_missing'
        ? { reason: 'state_not_found', file: layout.observer }
        : read.failure,
    );
  const { value } = read.value;
  const version = (value as { schema_version?: unknown } | null)?.schema_version;
  if (version !== observerSchemaVersion)
    return fail({
      reason: 'state_version_unknown',
      file: layout.observer,
      detail: String(version).slice(0, 60),
    });
  return parseShape(observerSchema, value, { file: layout.observer, reason: 'observer_invalid' });
}

/** A configuration, checked, with the digest of its bytes. */
export function loadConfig(
  file: string,
): Result<{ readonly config: Config; readonly digest: string }, Failure> {
  const read = readJsonFile(file, MAX_CONFIG_BYTES);
  if (!read.ok) return read;
  const { value, bytes } = read.value;
  if ((value as { schema_version?: unknown } | null)?.schema_version === originalConfigVersion)
    return fail({ reason: 'config_of_the_original', file, detail: translateOriginalConfig(value) });
  const config = parseShape(configSchema, value, { file, reason: 'config_invalid' });
  return config.ok ? ok({ config: config.value, digest: sha256(bytes) }) : config;
}

/** A basis, checked, with its contract revision. */
export function loadBasis(
  file: string,
): Result<{ readonly basis: Basis; readonly revision: string; readonly bytes: Buffer }, Failure> {
  const read = readJsonFile(file, basisMaxBytes);
  if (!read.ok) return read;
  const { value, bytes } = read.value;
  const basis = parseShape(basisSchema, value, { file, reason: 'basis_invalid' });
  return basis.ok ? ok({ basis: basis.value, revision: sha256(bytes), bytes }) : basis;
}
