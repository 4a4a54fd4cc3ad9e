import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { positionOf, readRegistry } from './registry.ts';

/** Which registry holds a goal's policy, and whose file it is. */
export interface RegistryPlace {
  readonly file: string;
  /** `loopx`: shared with LoopX and locked the way LoopX locks it. `own`: the observer's. */
  readonly owner: 'loopx' | 'own';
}

export interface RegistryQuery {
  /** `--registry`. */
  readonly named?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly goalId: string;
  /** Unknown where there is no observer. */
  readonly workspace?: string | undefined;
  readonly runtimeRoot?: string | undefined;
  /** `<state-dir>/registry.json`. */
  readonly own?: string | undefined;
}

/**
 * Finds the registry that a goal's policy lives in: the named one, else the first of LoopX's that knows the goal
 * (LOOPX_REGISTRY, the workspace's, the source of the runtime's mirror), else the observer's own, or the one
 * that this names as its source. Null: none of them
 * is there and there is no observer to keep one.
 */
export function locateRegistry(query: RegistryQuery): RegistryPlace | null {
  const { named, own, cwd, goalId } = query;
  if (named !== undefined) {
    const file = resolve(cwd, named);
    return { file, owner: file === own ? 'own' : 'loopx' };
  }
  const found = loopxCandidates(query).find((file) => holdsGoal(file, goalId));
  if (found !== undefined) return { file: found, owner: 'loopx' };
  return own === undefined ? null : { file: sourceOf(own, goalId) ?? own, owner: 'own' };
}

function loopxCandidates({ env, cwd, goalId, workspace, runtimeRoot }: RegistryQuery): string[] {
  const fromEnv = env['LOOPX_REGISTRY'];
  const mirrored =
    runtimeRoot === undefined ? null : sourceOf(join(runtimeRoot, 'registry.global.json'), goalId);
  return [
    ...(fromEnv ? [resolve(cwd, fromEnv)] : []),
    join(workspace ?? cwd, '.loopx', 'registry.json'),
    ...(mirrored ? [mirrored] : []),
  ];
}

/** The registry that another one copied a goal from, or shares it with (contract §3). */
function sourceOf(mirror: string, goalId: string): string | null {
  const registry = existsSync(mirror) ? readRegistry(mirror) : null;
  if (!registry?.ok) return null;
  const source = registry.value.goals[positionOf(registry.value, goalId)]?.['source_registry'];
  return typeof source === 'string' && source.startsWith('/') ? source : null;
}

function holdsGoal(file: string, goalId: string): boolean {
  if (!existsSync(file)) return false;
  const registry = readRegistry(file);
  return registry.ok && positionOf(registry.value, goalId) >= 0;
}
