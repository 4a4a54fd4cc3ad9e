import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readSmallFile } from './binding.ts';

/** What git says of the work tree, read from its files: no git is run, so no hook, filter or monitor can be. */
export interface GitRef {
  /** The ref that HEAD names, `(detached)` when it names a commit, null without git. */
  readonly ref: string | null;
  /** A merge, rebase, cherry-pick or revert is under way. */
  readonly inProgress: boolean;
}

const MAX_POINTER_BYTES = 65_536;
const IN_PROGRESS = ['MERGE_HEAD', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'];

export function readGitRef(workspace: string): GitRef {
  const none = { ref: null, inProgress: false };
  try {
    const folder = gitFolder(workspace);
    const ref = folder && readHead(`${folder}/HEAD`);
    if (!folder || !ref) return none;
    return { ref, inProgress: IN_PROGRESS.some((name) => exists(`${folder}/${name}`)) };
  } catch {
    return none;
  }
}

/** Old repositories make HEAD a link whose text is the ref; nothing but a small file or a link is read. */
function readHead(file: string): string | null {
  if (lstatSync(file).isSymbolicLink()) return readlinkSync(file);
  const head = readSmallFile(file, MAX_POINTER_BYTES)?.toString('utf8');
  if (head === undefined) return null;
  return /^ref: (.+)$/m.exec(head)?.[1]?.trim() ?? '(detached)';
}

/** `.git` in the workspace or above it; a file there (worktree, submodule) names the real folder. */
function gitFolder(workspace: string): string | null {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const dot = `${folder}/.git`;
    const stat = statSync(dot, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return dot;
    if (stat?.isFile()) {
      const text = readSmallFile(dot, MAX_POINTER_BYTES)?.toString('utf8') ?? '';
      const target = /^gitdir: (.+)$/m.exec(text)?.[1]?.trim();
      return target ? resolve(folder, target) : null;
    }
    if (dirname(folder) === folder) return null;
  }
}

const exists = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;
