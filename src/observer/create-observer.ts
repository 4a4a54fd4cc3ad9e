import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Basis, basisMaxBytes, basisSchema } from '../contract/basis.ts';
import { type Config, configSchema } from '../contract/config.ts';
import { configSchemaVersion } from '../contract/config-keys.ts';
import type { Failure } from '../contract/failure.ts';
import { type Observer, observerSchemaVersion } from '../contract/observer.ts';
import { parseShape } from '../contract/parse.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { CaptureFailed } from '../shim/capture-failed.ts';
import { takeCheckpoint } from '../shim/take-checkpoint.ts';
import { sha256 } from '../spool/event-format.ts';
import { errorCode } from '../spool/spool-io.ts';
import { type StateLayout, stateFormat, stateLayout } from '../spool/state-layout.ts';
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
}

export interface Created {
  readonly observer: Observer;
  readonly config: Config;
  readonly contractRevision: string;
  readonly scopeFileCount: number;
  /** Where the observer that was there before now lies. */
  readonly archive: string | null;
}

/** Checks everything first, then makes the observer and its first checkpoint; on a refusal nothing is left behind. */
export function createObserver(request: InitRequest): Result<Created, Failure> {
  const layout = stateLayout(request.state);
  if (existsSync(layout.observer) && !request.replace) return fail({ reason: 'state_exists', file: request.state });
  const plan = planObserver(request, layout);
  if (!plan.ok) return plan;
  const hadState = existsSync(request.state);
  const archive = archiveOld(layout, request);
  try {
    const scopeFileCount = build(plan.value, layout);
    const { observer, config, revision } = plan.value;
    return ok({ observer, config, contractRevision: revision, scopeFileCount, archive });
  } catch (error) {
    undo(request, layout, { hadState, archive });
    if (error instanceof CaptureFailed) return fail(captureRefusal(error, plan.value.observer.workspace));
    if (error instanceof Unsupported) return fail({ reason: 'filesystem_unsupported', file: request.state, detail: error.message });
    if (errorCode(error)) return fail({ reason: 'write_failed', file: request.state, detail: errorCode(error) ?? '' });
    throw error;
  }
}

interface Plan {
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

function planObserver(request: InitRequest, layout: StateLayout): Result<Plan, Failure> {
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
    runtime_root: request.runtimeRoot === null ? join(request.state, 'runtime') : resolve(request.cwd, request.runtimeRoot),
    receipts: request.runtimeRoot === null ? 'private_runtime' : 'goal_runtime',
    basis_file: basis.value.file,
    epoch: 0,
    created_at: request.now,
  };
  return ok({
    observer,
    ...config.value,
    configFile: request.configFile,
    revision: basis.value.revision,
    basisText: basis.value.text,
    state: request.state,
  });
}

function realWorkspace(folder: string): Result<string, Failure> {
  try {
    const real = realpathSync(folder);
    if (statSync(real).isDirectory()) return ok(real);
    return fail({ reason: 'workspace_unreadable', file: folder, detail: 'it is not a folder' });
  } catch (error) {
    return fail({ reason: 'workspace_unreadable', file: folder, detail: errorCode(error) ?? '' });
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
  if (Buffer.byteLength(text) > basisMaxBytes) return fail({ reason: 'basis_invalid', detail: 'it is larger than 32 KiB' });
  const parsed = parseShape(basisSchema, basis.words, { file: 'the basis on the command line', reason: 'basis_invalid' });
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
    return fail({ reason: 'usage', field: 'path', detail: 'declare at least one file with --path or --glob' });
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

function planConfig({ configFile, evaluator, host }: InitRequest): Result<Pick<Plan, 'config' | 'configText' | 'configDigest'>, Failure> {
  if (existsSync(configFile)) {
    const loaded = loadConfig(configFile);
    return loaded.ok ? ok({ config: loaded.value.config, configText: null, configDigest: loaded.value.digest }) : loaded;
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
  const goalId = given.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are refused.
  const bad = goalId === '' || goalId === '.' || goalId === '..' || /[/\\\u0000-\u001f]/.test(goalId) || goalId.length > 200;
  return bad
    ? fail({ reason: 'usage', field: 'goal-id', detail: 'a goal id is one name without / or \\' })
    : ok(goalId);
}

class Unsupported extends Error {}

/** Writes the state; the binding comes last, because it is what makes a folder an observer. */
function build(plan: Plan, layout: StateLayout): number {
  for (const folder of [plan.state, layout.staging, layout.events, layout.eventShard(0), layout.tally, layout.markers]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
  writePrivate(layout.ignore, '*\n');
  writePrivate(layout.format, `${stateFormat}\n`);
  refuseUnsupported(layout);
  if (plan.configText !== null) writePrivate(plan.configFile, plan.configText);
  if (plan.basisText !== null) writePrivate(layout.basis, plan.basisText);
  mkdirSync(plan.observer.runtime_root, { recursive: true, mode: 0o700 });
  const event = takeCheckpoint({
    layout,
    binding: { observer: plan.observer, scope: plan.config.scope, evaluator: plan.config.evaluator },
    contractRevision: plan.revision,
    configDigest: plan.configDigest,
    note: 'init',
  });
  writePrivate(layout.observer, `${JSON.stringify(plan.observer, null, 2)}\n`);
  return event.files.filter(({ role }) => role === 'declared').length;
}

/** The chain needs hard links within the state (design §3). */
function refuseUnsupported(layout: StateLayout): void {
  const probe = join(layout.staging, 'probe');
  const linked = join(layout.eventShard(0), 'probe');
  try {
    writePrivate(probe, '');
    linkSync(probe, linked);
  } catch (error) {
    throw new Unsupported(`link: ${errorCode(error)}`);
  } finally {
    rmSync(probe, { force: true });
    rmSync(linked, { force: true });
  }
}

export function writePrivate(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  chmodSync(file, 0o600);
}

const OBSERVER_ENTRIES = [
  'observer.json', 'basis.json', 'ev', 'mark', 'head', 'tally', 'cursor', 'rcpt', 'try', 'floor', 'dead', 'aggregate.json',
  'drain.json', 'last-refresh.json', 'labels.jsonl', 's1',
];

/** Moves the old observer aside, its labels with it. What an interrupted init left is moved too. */
function archiveOld({ observer, events }: StateLayout, { state, now }: InitRequest): string | null {
  if (!existsSync(observer) && !existsSync(events)) return null;
  const archive = join(state, 'archive', now.replaceAll(':', '-'));
  mkdirSync(archive, { recursive: true, mode: 0o700 });
  // The binding goes first: from then on a refresh only passes through.
  for (const entry of OBSERVER_ENTRIES) if (existsSync(join(state, entry))) renameSync(join(state, entry), join(archive, entry));
  return archive;
}

function undo({ state }: InitRequest, layout: StateLayout, was: { hadState: boolean; archive: string | null }): void {
  if (!was.hadState) {
    rmSync(state, { recursive: true, force: true });
    return;
  }
  for (const entry of [layout.observer, layout.events, layout.markers, layout.head]) rmSync(entry, { recursive: true, force: true });
  if (was.archive === null) return;
  for (const entry of OBSERVER_ENTRIES) {
    const kept = join(was.archive, entry);
    if (!existsSync(kept)) continue;
    rmSync(join(state, entry), { recursive: true, force: true });
    renameSync(kept, join(state, entry));
  }
}

function captureRefusal({ reason }: CaptureFailed, workspace: string): Failure {
  return { reason: 'path_refused', file: workspace, field: 'path', detail: reason };
}
