import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

interface Where {
  /** `--state-dir`. */
  readonly stateDir?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Null when the working directory is gone. */
  readonly cwd: string | null;
}

/**
 * The state directory that a command means (design §3): `--state-dir`, else `DRIFT_STATE_DIR`, else the nearest
 * `.drift/` holding an observer from the working directory upward. Null: there is none. A directory that is named
 * outright is given back whether it exists or not.
 */
export function locateState(where: Where): string | null {
  return named(where) ?? (where.cwd === null ? null : nearestWith(where.cwd, 'observer.json'));
}

/**
 * The state directory of what needs no observer: as {@link locateState}, but the nearest `.drift/` counts whatever it
 * holds, and where there is none the one that would be made in the working directory is given back.
 */
export function locateAnyState(where: Where & { readonly cwd: string }): string {
  return named(where) ?? nearestWith(where.cwd, '.') ?? join(where.cwd, '.drift');
}

/** Whether somebody says where the state is; otherwise it is looked for. */
export const isNamed = (where: Where): boolean => named(where) !== null;

function named({ stateDir, env, cwd }: Where): string | null {
  const given = stateDir || env['DRIFT_STATE_DIR'];
  if (!given) return null;
  return cwd === null ? (given.startsWith('/') ? given : null) : resolve(cwd, given);
}

function nearestWith(cwd: string, file: string): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const state = join(folder, '.drift');
    if (isThere(join(state, file))) return state;
    if (dirname(folder) === folder) return null;
  }
}

/** What may not be looked at is not there for us. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** The configuration that goes with a state directory: `--config`, else `DRIFT_CONFIG`, else its own. */
export function locateConfig(
  state: string,
  named: string | undefined,
  where: Omit<Where, 'stateDir'>,
): string {
  const given = named || where.env['DRIFT_CONFIG'];
  return given ? resolve(where.cwd ?? '/', given) : join(state, 'config.json');
}
