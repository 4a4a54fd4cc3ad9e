import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import type { Observer } from '../contract/observer.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { errorCode } from '../spool/spool-io.ts';
import { checkGlob, checkPath, refuseFoldedNames } from './declare-paths.ts';
import { type FoundBinding, loadBasis } from './load-observer.ts';
import { realPlace, realWorkspace } from './plan-observer.ts';
import { replaceText } from './replace-text.ts';

export interface Rebound {
  readonly before: Observer;
  readonly observer: Observer;
  readonly contractRevision: string;
}

/**
 * Binds an observer to the place where its workspace lies now (design §5). What lay within the old workspace or the state
 * is looked for at the same place within the new one; the rest stays where it is. Like every change of a binding it
 * moves the epoch: work in flight becomes stale and the next refresh takes a new baseline. Reasons: workspace_unreadable,
 * path_refused, glob_matches_nothing, those of reading a basis, write_failed.
 */
export function rebindObserver(found: FoundBinding, folder: string): Result<Rebound, Failure> {
  const { layout, observer: before } = found;
  const workspace = realWorkspace(folder);
  if (!workspace.ok) return workspace;
  const declared = refuseOtherFiles(workspace.value, before);
  if (!declared.ok) return declared;
  const observer = { ...before, ...follow(found, workspace.value), epoch: before.epoch + 1 };
  const basis = loadBasis(observer.basis_file);
  if (!basis.ok) return basis;
  try {
    replaceText(layout.observer, `${JSON.stringify(observer, null, 2)}\n`);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return fail({ reason: 'write_failed', file: layout.observer, detail: code });
  }
  return ok({ before, observer, contractRevision: basis.value.revision });
}

/** A folder without any of the declared files is another one. */
function refuseOtherFiles(workspace: string, { paths, globs, evidence }: Observer): Result<null, Failure> {
  for (const path of [...paths, ...evidence]) {
    const checked = checkPath(workspace, path);
    if (!checked.ok) return checked;
  }
  for (const { pattern } of globs) {
    const checked = checkGlob(workspace, pattern);
    if (!checked.ok) return checked;
  }
  if (globs.length === 0 && !paths.some((path) => existsSync(join(workspace, path))))
    return fail({ reason: 'path_refused', file: workspace, detail: 'none of the declared files is there' });
  return refuseFoldedNames(workspace, paths);
}

function follow(
  { state, layout, observer }: FoundBinding,
  workspace: string,
): Pick<Observer, 'workspace' | 'runtime_root' | 'basis_file'> {
  const moved = (file: string): string => {
    const inside = file.startsWith(`${observer.workspace}/`);
    const there = join(workspace, file.slice(observer.workspace.length));
    return inside && existsSync(there) ? there : file;
  };
  // A basis that came as words lies in the state, and has come along with it.
  const isOwnBasis = basename(observer.basis_file) === basename(layout.basis) && existsSync(layout.basis);
  return {
    workspace,
    runtime_root:
      observer.receipts === 'private_runtime'
        ? realPlace(join(state, 'runtime'))
        : moved(observer.runtime_root),
    basis_file: isOwnBasis ? layout.basis : moved(observer.basis_file),
  };
}
