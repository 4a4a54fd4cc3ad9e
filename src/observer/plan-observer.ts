import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Basis, basisMaxBytes, basisSchema } from '../contract/basis.ts';
import { type Config, configSchema } from '../contract/config.ts';
import { configSchemaVersion } from '../contract/config-keys.ts';
import type { Failure } from '../contract/failure.ts';
import { readIdentityText } from '../contract/identity-text.ts';
import { type Observer, observerSchemaVersion } from '../contract/observer.ts';
import { parseShape } from '../contract/parse.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import { errorCode } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import { checkGlob, checkPath, refuseFoldedNames } from './declare-paths.ts';
import { loadBasis, loadConfig } from './load-observer.ts';

/** What the owner asks `drift init` for. Paths are relative to `cwd` unless absolute. */
export interface InitRequest {
  readonly cwd: string;
  readonly state: string;
  readonly configFile: string;
  readonly workspace: string;
  /** A basis file, or the words for one. */
  readonly basis: { readonly file: string } | { readonly words: unknown };
  readonly paths: readonly string[];
  readonly globs: readonly string[];
  readonly runtimeRoot: string | null;
  readonly goalId: string | null;
  readonly evaluator: string | null;
  readonly host: string | null;
  readonly replace: boolean;
  /** ISO 8601. */
  readonly now: string;
  /** Checks what this room cannot: whether the criteria of the basis are to be had. */
  readonly vouch?: (draft: Draft) => Result<unknown, Failure>;
}

/** What an observer would be bound to. */
interface Draft {
  readonly basis: Basis;
  readonly config: Config;
  readonly observer: Observer;
}

/** A whole observer, checked, before anything of it is written. */
export interface Plan {
  readonly observer: Observer;
  readonly config: Config;
  /** Null: an existing file is used in place. */
  readonly configText: string | null;
  readonly configFile: string;
  readonly configDigest: string;
  readonly revision: string;
  /** Set when the basis came as words and is to be written. */
  readonly basisText: string | null;
  readonly state: string;
}

/** Checks everything that an observer is made of. */
export function planObserver(request: InitRequest, layout: StateLayout): Result<Plan, Failure> {
  const workspace = realWorkspace(resolve(request.cwd, request.workspace));
  if (!workspace.ok) return workspace;
  const basis = planBasis(request, layout);
  if (!basis.ok) return basis;
  const declared = planPaths(workspace.value, request, basis.value.basis);
  if (!declared.ok) return declared;
  const config = planConfig(request);
  if (!config.ok) return config;
  const goalId = planGoalId(request.goalId ?? basis.value.basis.goal_id ?? basename(workspace.value));
  if (!goalId.ok) return goalId;
  const observer: Observer = {
    schema_version: observerSchemaVersion,
    observer_id: randomBytes(16).toString('hex'),
    goal_id: goalId.value,
    workspace: workspace.value,
    ...declared.value,
    runtime_root: realPlace(
      request.runtimeRoot === null
        ? join(request.state, 'runtime')
        : resolve(request.cwd, request.runtimeRoot),
    ),
    receipts: request.runtimeRoot === null ? 'private_runtime' : 'goal_runtime',
    basis_file: basis.value.file,
    epoch: 0,
    created_at: request.now,
  };
  const vouched = request.vouch?.({ basis: basis.value.basis, config: config.value.config, observer });
  if (vouched && !vouched.ok) return vouched;
  return ok({
    observer,
    ...config.value,
    configFile: request.configFile,
    revision: basis.value.revision,
    basisText: basis.value.text,
    state: request.state,
  });
}

/** A folder without links. Fails with `workspace_unreadable`. */
export function realWorkspace(folder: string): Result<string, Failure> {
  try {
    const real = realpathSync(folder);
    if (statSync(real).isDirectory()) return ok(real);
    return fail({ reason: 'workspace_unreadable', file: folder, detail: 'it is not a folder' });
  } catch (error) {
    return fail({ reason: 'workspace_unreadable', file: folder, detail: errorCode(error) ?? '' });
  }
}

/** Where a folder lies or will lie, without links: pinned, so that a link put in its place later is noticed. */
export function realPlace(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) return folder;
    return join(realPlace(dirname(folder)), basename(folder));
  }
}

interface PlannedBasis {
  readonly basis: Basis;
  readonly file: string;
  readonly revision: string;
  readonly text: string | null;
}

function planBasis({ basis, cwd }: InitRequest, layout: StateLayout): Result<PlannedBasis, Failure> {
  if ('file' in basis) {
    const file = resolve(cwd, basis.file);
    const loaded = loadBasis(file);
    if (!loaded.ok) return loaded;
    // The state's own basis moves into the archive with the rest, so it is written again.
    const text = file === layout.basis ? loaded.value.bytes.toString('utf8') : null;
    return ok({ basis: loaded.value.basis, file, revision: loaded.value.revision, text });
  }
  const text = `${JSON.stringify(basis.words, null, 2)}\n`;
  if (Buffer.byteLength(text) > basisMaxBytes)
    return fail({ reason: 'basis_invalid', detail: 'it is larger than 32 KiB' });
  const parsed = parseShape(basisSchema, basis.words, {
    file: 'the basis on the command line',
    reason: 'basis_invalid',
  });
  return parsed.ok ? ok({ basis: parsed.value, file: layout.basis, revision: sha256(text), text }) : parsed;
}

function planPaths(
  workspace: string,
  { paths, globs }: InitRequest,
  basis: Basis,
): Result<Pick<Observer, 'paths' | 'globs' | 'evidence'>, Failure> {
  const checked = collect(paths, (path) => checkPath(workspace, path));
  if (!checked.ok) return checked;
  const patterns = collect(globs, (glob) => checkGlob(workspace, glob));
  if (!patterns.ok) return patterns;
  const evidence = collect(basis.evidence ?? [], ({ ref }) => checkPath(workspace, ref));
  if (!evidence.ok) return evidence;
  const folded = refuseFoldedNames(workspace, checked.value);
  if (!folded.ok) return folded;
  if (checked.value.length + patterns.value.length === 0)
    return fail({
      reason: 'usage',
      field: 'path',
      detail: 'declare at least one file with --path or --glob',
    });
  return ok({ paths: [...new Set(checked.value)], globs: patterns.value, evidence: evidence.value });
}

function collect<T, U>(items: readonly T[], check: (item: T) => Result<U, Failure>): Result<U[], Failure> {
  const values: U[] = [];
  for (const item of items) {
    const checked = check(item);
    if (!checked.ok) return checked;
    values.push(checked.value);
  }
  return ok(values);
}

function planConfig({
  configFile,
  evaluator,
  host,
}: InitRequest): Result<Pick<Plan, 'config' | 'configText' | 'configDigest'>, Failure> {
  if (existsSync(configFile)) {
    const loaded = loadConfig(configFile);
    return loaded.ok
      ? ok({ config: loaded.value.config, configText: null, configDigest: loaded.value.digest })
      : loaded;
  }
  const wanted = {
    schema_version: configSchemaVersion,
    mode: 'shadow',
    host: host ?? 'auto',
    evaluator: evaluator ?? 'structural',
    minimum_label_probability: 0.6,
  };
  const parsed = parseShape(configSchema, wanted, { file: 'the options', reason: 'config_invalid' });
  if (!parsed.ok) return parsed;
  const configText = `${JSON.stringify(wanted, null, 2)}\n`;
  return ok({ config: parsed.value, configText, configDigest: sha256(configText) });
}

/** Contract §3: one segment, nothing that leads elsewhere. */
function planGoalId(given: string): Result<string, Failure> {
  const goalId = readIdentityText(given);
  if (goalId === null || goalId === '.' || goalId === '..' || /[/\\]/.test(goalId))
    return fail({ reason: 'usage', field: 'goal-id', detail: 'a goal id is one name without / or \\' });
  return ok(goalId);
}
