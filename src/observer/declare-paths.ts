import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { Failure } from '../contract/failure.ts';
import type { Observer } from '../contract/observer.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { expandGlobs } from '../shim/declared-files.ts';

/**
 * Checks one declared path (design §6): relative, inside the workspace, no `..`, no `.git`, no symbolic link in any
 * component, a regular file or nothing at all. Gives it back with single `/` between its parts.
 */
export function checkPath(workspace: string, given: string): Result<string, Failure> {
  const refuse = (detail: string): Result<string, Failure> =>
    fail({ reason: 'path_refused', field: given, file: workspace, detail });
  if (given.startsWith('/')) return refuse('it is absolute');
  const parts = given.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0) return refuse('it is empty');
  if (given.includes('\0') || given.includes('\n')) return refuse('it holds a control character');
  if (parts.includes('..')) return refuse('it leads upward');
  if (parts.some((part) => part.toLowerCase() === '.git')) return refuse('it lies in .git');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const problem = checkComponent(join(workspace, ...parts.slice(0, depth)), depth === parts.length);
    if (problem === 'missing') break;
    if (problem) return refuse(problem);
  }
  return ok(parts.join('/'));
}

function checkComponent(file: string, isLast: boolean): string | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (!stat) return 'missing';
  if (stat.isSymbolicLink())
    return isLast ? 'it is a symbolic link' : 'a folder on the way is a symbolic link';
  if (isLast) return stat.isFile() ? null : 'it is not a regular file';
  return stat.isDirectory() ? null : 'a part of the way is no folder';
}

/** Refuses two names that the filesystem folds together (case, normalisation): they would be one file. */
export function refuseFoldedNames(workspace: string, paths: readonly string[]): Result<null, Failure> {
  const byFold = new Map<string, string>();
  for (const path of paths) {
    const fold = path.normalize('NFC').toLowerCase();
    const other = byFold.get(fold);
    if (other !== undefined && other !== path && isSameFile(workspace, other, path))
      return fail({ reason: 'path_refused', field: path, detail: `the filesystem takes it for ${other}` });
    byFold.set(fold, path);
  }
  return ok(null);
}

function isSameFile(workspace: string, a: string, b: string): boolean {
  try {
    return realpathSync.native(join(workspace, a)) === realpathSync.native(join(workspace, b));
  } catch {
    return false;
  }
}

/** Turns a pattern into the regular expression that the hot path applies; it must match something now. */
export function checkGlob(workspace: string, pattern: string): Result<Observer['globs'][number], Failure> {
  const refuse = (detail: string): Result<never, Failure> =>
    fail({ reason: 'path_refused', field: pattern, file: workspace, detail });
  if (pattern.startsWith('/') || pattern.split('/').includes('..'))
    return refuse('a pattern stays inside the workspace');
  const regex = picomatch.makeRe(pattern, { dot: true, strictSlashes: true });
  if (!regex) return refuse('it is no pattern');
  const found = expandGlobs(workspace, [regex]);
  if (found === null) return refuse('the workspace has more entries than a walk may visit');
  if (found.length === 0) return fail({ reason: 'glob_matches_nothing', field: pattern, file: workspace });
  return ok({ pattern, regex: regex.source });
}
