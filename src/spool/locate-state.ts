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
export function locateState({ stateDir, env, cwd }: Where): string | null {
  const named = stateDir || env['DRIFT_STATE_DIR'];
  if (named) return cwd === null ? (named.startsWith('/') ? named : null) : resolve(cwd, named);
  return cwd === null ? null : nearestWith(cwd, 'observer.json');
}

function nearestWith(cwd: string, file: string): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const state = join(folder, '.drift');
    if (statSync(join(state, file), { throwIfNoEntry: false })) return state;
    if (dirname(folder) === folder) return null;
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
