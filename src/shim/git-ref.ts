import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What git says of the work tree, read from its files: no git is run, so no hook, filter or monitor can be. */
export interface GitRef {
  /** The ref that HEAD names, `(detached)` when it names a commit, null without git. */
  readonly ref: string | null;
  /** A merge, rebase, cherry-pick or revert is under way. */
  readonly inProgress: boolean;
}

const IN_PROGRESS = ['MERGE_HEAD', 'rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'];

export function readGitRef(workspace: string): GitRef {
  const none = { ref: null, inProgress: false };
  try {
    const folder = gitFolder(workspace);
    if (folder === null) return none;
    const head = readFileSync(join(folder, 'HEAD'), 'utf8').slice(0, 4_096);
    const [, ref] = /^ref: (.+)$/m.exec(head) ?? [];
    return {
      ref: ref?.trim() ?? '(detached)',
      inProgress: IN_PROGRESS.some((name) => existsSync(join(folder, name))),
    };
  } catch {
    return none;
  }
}

/** `.git` in the workspace or above it; a file there (worktree, submodule) names the real folder. */
function gitFolder(workspace: string): string | null {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const dot = join(folder, '.git');
    const stat = statSync(dot, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return dot;
    if (stat?.isFile()) {
      const [, target] = /^gitdir: (.+)$/m.exec(readFileSync(dot, 'utf8').slice(0, 4_096)) ?? [];
      return target ? resolve(folder, target.trim()) : null;
    }
    if (dirname(folder) === folder) return null;
  }
}
