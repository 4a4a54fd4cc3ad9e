import { type Dirent, opendirSync } from 'node:fs';
import type { CaptureFailureReason, FileState } from '../contract/event.ts';
import type { Observer } from '../contract/observer.ts';
import { monotonicMs } from './monotonic-ms.ts';

const MAX_WALKED_ENTRIES = 20_000;
const MAX_WALK_MS = 3_000;
const READ_AT_ONCE = 256;
const NEVER_ENTERED = new Set(['.git', '.drift', 'node_modules']);

export interface DeclaredFile {
  readonly path: string;
  readonly role: 'declared' | 'evidence';
}

/**
 * The files to look at now, in a fixed order: the declared paths, what the patterns match at this moment, what they
 * matched at the last checkpoint (so that a deleted file is seen as deleted), and the evidence files.
 */
export function listDeclaredFiles(
  observer: Pick<Observer, 'workspace' | 'paths' | 'globs' | 'evidence'>,
  previous: readonly FileState[],
): { readonly files: readonly DeclaredFile[] } | { readonly failed: CaptureFailureReason } {
  const declared = new Set(observer.paths);
  if (observer.globs.length > 0) {
    const matched = expandGlobs(
      observer.workspace,
      observer.globs.map(({ regex }) => new RegExp(regex)),
    );
    if (matched === null) return { failed: 'glob_over_limit' };
    for (const path of matched) declared.add(path);
    for (const { path, role, state } of previous)
      if (role === 'declared' && state !== 'missing') declared.add(path);
  }
  const evidence = observer.evidence.filter((path) => !declared.has(path));
  return {
    files: [
      ...[...declared].sort().map((path): DeclaredFile => ({ path, role: 'declared' })),
      ...evidence.map((path): DeclaredFile => ({ path, role: 'evidence' })),
    ],
  };
}

/**
 * Regular files of the workspace whose relative path fits a pattern; null when the walk grows beyond its bounds, in
 * entries or in time. A folder is read piece by piece, so that one with a million entries costs no more than the bound.
 */
export function expandGlobs(workspace: string, patterns: readonly RegExp[]): string[] | null {
  const found: string[] = [];
  const folders = [''];
  const end = monotonicMs() + MAX_WALK_MS;
  let walked = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const left = MAX_WALKED_ENTRIES - walked;
    const entries = listFolder(`${workspace}/${folder}`, left + 1);
    walked += entries.length;
    if (walked > MAX_WALKED_ENTRIES || monotonicMs() > end) return null;
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !NEVER_ENTERED.has(entry.name)) folders.push(path);
      if (entry.isFile() && patterns.some((pattern) => pattern.test(path))) found.push(path);
    }
  }
  return found.sort();
}

/** At most `max` entries; none where the folder cannot be read. */
function listFolder(folder: string, max: number): Dirent[] {
  const entries: Dirent[] = [];
  try {
    const handle = opendirSync(folder, { bufferSize: READ_AT_ONCE });
    try {
      while (entries.length < max) {
        const entry = handle.readSync();
        if (entry === null) break;
        entries.push(entry);
      }
    } finally {
      handle.closeSync();
    }
  } catch {
    // What cannot be listed matches nothing; a file that was there at the last checkpoint is looked at all the same.
  }
  return entries;
}
