import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { runGit } from './git.ts';

/** Which part of a repository's history is looked at. */
export interface HistoryQuery {
  readonly cwd: string;
  /** The revision that the first transition starts from; null: from the first commit on. */
  readonly since: string | null;
  /** Files or folders, relative to `cwd`. */
  readonly paths: readonly string[];
  /** Git's glob pathspecs, relative to `cwd`. */
  readonly globs: readonly string[];
  /** Newest commits at most. */
  readonly max: number;
}

/** One file after a commit; null blob: the commit deleted it. Paths are relative to `cwd`. */
export interface FileChange {
  readonly path: string;
  readonly blob: string | null;
}

/** One commit of the first-parent line; a merge counts as one change. */
export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly changes: readonly FileChange[];
}

export interface GitHistory {
  /** The files as they were before the first commit. */
  readonly baseline: readonly FileChange[];
  /** Oldest first; only those that touched a file. */
  readonly commits: readonly Commit[];
  /** True when older commits since the revision were left out. */
  readonly truncated: boolean;
}

const REGULAR_FILE = /^100(?:644|755)$/;
const NO_BLOB = /^0+$/;

/** Reads what the commits since a revision did to some files. Symbolic links and submodules are left out. */
export function readGitHistory(query: HistoryQuery): Result<GitHistory, Failure> {
  const range = rangeOf(query);
  if (!range.ok) return range;
  const commits = readCommits(query, range.value);
  if (!commits.ok) return commits;
  const kept = commits.value.slice(-query.max);
  const [first] = kept;
  if (!first)
    return fail({ reason: 'usage', field: 'since', detail: 'no commit in this range touched those files' });
  const baseline = readTree(query, `${first.hash}^1`);
  if (!baseline.ok) return baseline;
  return ok({ baseline: baseline.value, commits: kept, truncated: commits.value.length > kept.length });
}

function rangeOf({ cwd, since }: HistoryQuery): Result<string, Failure> {
  if (since === null) return ok('HEAD');
  if (since.startsWith('-'))
    return fail({ reason: 'usage', field: 'since', detail: `${since} is no revision` });
  const start = runGit({ cwd, words: ['rev-parse', '--verify', '--quiet', `${since}^{commit}`] });
  if (start.ok) return ok(`${start.value.toString('utf8').trim()}..HEAD`);
  return fail({ ...start.failure, detail: start.failure.detail || `there is no revision ${since}` });
}

const pathspecs = ({ paths, globs }: HistoryQuery): string[] => [
  '--',
  ...paths.map((path) => `:(literal)${path}`),
  ...globs.map((glob) => `:(glob)${glob}`),
];

const rawDiff = [
  '--raw',
  '-z',
  '--relative',
  '--no-abbrev',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
];

function readCommits(query: HistoryQuery, range: string): Result<Commit[], Failure> {
  const log = runGit({
    cwd: query.cwd,
    words: [
      'log',
      '--first-parent',
      '--diff-merges=first-parent',
      '--reverse',
      ...rawDiff,
      '--format=%x00%H%x00%s%x00',
      range,
      ...pathspecs(query),
    ],
  });
  return log.ok ? ok(parseLog(log.value.toString('utf8'))) : log;
}

/** Fields end with NUL: an empty one, hash, subject, then `:modes blobs letter` and path in turn. */
function parseLog(text: string): Commit[] {
  const commits: { hash: string; subject: string; changes: FileChange[] }[] = [];
  const fields = fieldsOf(text);
  for (let at = 0; at < fields.length; ) {
    const [field = '', next = ''] = fields.slice(at, at + 2);
    const raw = readRaw(field, next);
    const starts = raw === null && /^[0-9a-f]{40,64}$/.test(field);
    if (starts) commits.push({ hash: field, subject: next, changes: [] });
    else if (raw?.change) commits.at(-1)?.changes.push(raw.change);
    at += raw || starts ? 2 : 1;
  }
  return commits.filter(({ changes }) => changes.length > 0);
}

const fieldsOf = (text: string): string[] => text.split('\0').map((field) => field.replace(/^\n/, ''));

/** Null where the field is none of `--raw`; no change in it where neither side is a regular file. */
function readRaw(field: string, path: string): { readonly change: FileChange | null } | null {
  const [, before = '', after = '', blob = ''] =
    /^:(\d+) (\d+) [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*$/.exec(field) ?? [];
  if (blob === '') return null;
  if (!NO_BLOB.test(blob)) return { change: REGULAR_FILE.test(after) ? { path, blob } : null };
  return { change: REGULAR_FILE.test(before) ? { path, blob: null } : null };
}

/** The files of a revision; a revision that is not there (before the first commit) has none. */
function readTree(query: HistoryQuery, revision: string): Result<FileChange[], Failure> {
  const { cwd } = query;
  if (!runGit({ cwd, words: ['rev-parse', '--verify', '--quiet', revision] }).ok) return ok([]);
  const empty = runGit({ cwd, words: ['hash-object', '-t', 'tree', '--stdin'] });
  if (!empty.ok) return empty;
  const nothing = empty.value.toString('utf8').trim();
  const tree = runGit({
    cwd,
    words: ['diff-tree', '-r', ...rawDiff, nothing, revision, ...pathspecs(query)],
  });
  if (!tree.ok) return tree;
  const fields = fieldsOf(tree.value.toString('utf8'));
  return ok(fields.flatMap((field, at) => readRaw(field, fields[at + 1] ?? '')?.change ?? []));
}
