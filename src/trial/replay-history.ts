import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scopeCeilings } from '../contract/config-keys.ts';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { runDrain } from '../drain/run-drain.ts';
import { createObserver } from '../observer/create-observer.ts';
import { type LoadedObserver, loadObserver } from '../observer/load-observer.ts';
import type { InitRequest } from '../observer/plan-observer.ts';
import { openCapture } from '../shim/capture.ts';
import { readBlobs } from './read-blobs.ts';
import { type Commit, type FileChange, type HistoryQuery, readGitHistory } from './read-git-history.ts';

/** Characters of a commit's hash that name its turn. */
const TURN_DIGITS = 12;

export interface ReplayRequest extends HistoryQuery {
  /** An empty folder that the caller made and removes. */
  readonly folder: string;
  /** A basis file, or the words for one. */
  readonly basis: InitRequest['basis'];
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly onCommit: (commit: Commit, done: number, total: number) => void;
}

export interface Replayed {
  readonly loaded: LoadedObserver;
  /** Oldest first; each is the turn `turnOf(commit)`. */
  readonly commits: readonly Commit[];
  readonly declared: readonly string[];
  readonly truncated: boolean;
}

/** The turn that a commit becomes. */
export const turnOf = ({ hash }: Commit): string => hash.slice(0, TURN_DIGITS);

/**
 * Plays commits as turns of an agent, through the real capture and the real drain, in a folder of its own (design §5
 * try). The repository is only read.
 */
export async function replayHistory(request: ReplayRequest): Promise<Result<Replayed, Failure>> {
  const history = readGitHistory(request);
  if (!history.ok) return history;
  const { baseline, commits, truncated } = history.value;
  const declared = declaredPaths([...baseline, ...commits.flatMap(({ changes }) => changes)]);
  if (declared.length > scopeCeilings.max_files)
    return fail({
      reason: 'usage',
      field: 'path',
      detail: `${declared.length} files; name fewer than ${scopeCeilings.max_files}`,
    });
  const blobs = [...baseline, ...commits.flatMap(({ changes }) => changes)].flatMap(({ blob }) => blob ?? []);
  const contents = readBlobs(request.cwd, blobs);
  if (!contents.ok) return contents;
  const stage = stageFor(request.folder, { declared, contents: contents.value });
  stage.apply(baseline);
  const loaded = createStage(request, stage, declared);
  if (!loaded.ok) return loaded;
  await playCommits(request, stage, commits);
  const drained = await drainAll(request, loaded.value);
  return drained.ok ? ok({ loaded: loaded.value, commits, declared, truncated }) : drained;
}

/** A path that was a file once and a folder later can only be one of them here; the folder's files stay. */
function declaredPaths(changes: readonly FileChange[]): string[] {
  const paths = [...new Set(changes.map(({ path }) => path))].sort();
  const folders = new Set(paths.flatMap((path) => parentsOf(path)));
  return paths.filter((path) => !folders.has(path));
}

function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join('/'));
}

interface Stage {
  readonly work: string;
  readonly state: string;
  readonly config: string;
  readonly apply: (changes: readonly FileChange[]) => void;
}

function stageFor(
  folder: string,
  { declared, contents }: { declared: readonly string[]; contents: ReadonlyMap<string, Buffer> },
): Stage {
  const work = join(folder, 'history');
  const state = join(folder, 'state');
  const known = new Set(declared);
  mkdirSync(work, { mode: 0o700 });
  const apply = (changes: readonly FileChange[]): void => {
    for (const { path, blob } of changes) {
      if (!known.has(path)) continue;
      const bytes = blob === null ? undefined : contents.get(blob);
      if (bytes) {
        mkdirSync(join(work, dirname(path)), { recursive: true });
        writeFileSync(join(work, path), bytes);
      } else rmSync(join(work, path), { force: true });
    }
  };
  return { work, state, config: join(folder, 'config.json'), apply };
}

function createStage(
  { basis, cwd, now }: ReplayRequest,
  { work, state, config }: Stage,
  declared: readonly string[],
): Result<LoadedObserver, Failure> {
  const { max_files, max_bytes } = scopeCeilings;
  const settings = {
    schema_version: 'drift_config_v1',
    evaluator: 'structural',
    host: 'generic',
    scope: { max_files, max_bytes, max_delta_bytes: max_bytes },
  };
  writeFileSync(config, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  const created = createObserver({
    cwd,
    state,
    configFile: config,
    workspace: work,
    basis,
    paths: declared,
    globs: [],
    runtimeRoot: null,
    goalId: 'history',
    evaluator: null,
    host: null,
    replace: false,
    now: new Date(now()).toISOString(),
  });
  return created.ok ? loadObserver({ stateDir: state, config, env: {}, cwd }) : created;
}

async function playCommits(
  { onCommit }: ReplayRequest,
  { state, config, apply }: Stage,
  commits: readonly Commit[],
): Promise<void> {
  for (const [done, commit] of commits.entries()) {
    const words = [
      '--state-dir',
      state,
      '--config',
      config,
      '--turn-id',
      turnOf(commit),
      '--agent-id',
      'history',
    ];
    const capture = openCapture(words, ['git', 'commit']);
    apply(commit.changes);
    await capture?.afterCommand({
      exitCode: 0,
      signal: null,
      startedAt: Date.now(),
      durationMs: 0,
      stdoutTail: Buffer.alloc(0),
      stdoutCut: false,
    });
    onCommit(commit, done + 1, commits.length);
  }
}

async function drainAll({ now }: ReplayRequest, loaded: LoadedObserver): Promise<Result<unknown, Failure>> {
  return runDrain({
    loaded,
    reload: () => ok(loaded),
    env: {},
    now,
    clock: () => performance.now(),
    max: Number.POSITIVE_INFINITY,
    watchMs: null,
    pollMs: 1_000,
    signal: new AbortController().signal,
    onEvent: () => undefined,
  });
}
