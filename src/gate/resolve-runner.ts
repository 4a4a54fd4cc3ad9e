import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { startProcess } from './run-process.ts';

const probeMs = 5_000;

/** Where runners are installed that a bare environment does not have on its PATH. */
const knownFolders = (home: string | undefined): string[] => [
  ...(home ? [join(home, '.bun', 'bin'), join(home, '.local', 'bin')] : []),
  '/usr/local/bin',
  '/usr/bin',
  '/opt/homebrew/bin',
];

export interface Environment {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The first executable of that name on the PATH, or null. A name with a slash is looked up from `cwd`. */
export function findExecutable(name: string, { cwd, env }: Environment): string | null {
  const candidates = name.includes('/')
    ? [name.startsWith('/') ? name : join(cwd, name)]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder || cwd, name));
  return candidates.find(isExecutable) ?? null;
}

/**
 * The environment in which a runner can be started: the given one when the runner is on its PATH; else with the folder
 * of a known installation in front, if the runner found there answers `--version`; null when it is nowhere.
 */
export async function environmentFor(name: string, given: Environment): Promise<NodeJS.ProcessEnv | null> {
  if (findExecutable(name, given)) return given.env;
  if (name.includes('/')) return null;
  const installed = knownFolders(given.env['HOME'])
    .map((folder) => join(folder, name))
    .filter(isExecutable);
  for (const path of installed) {
    const env = { ...given.env, PATH: [dirname(path), given.env['PATH']].filter(Boolean).join(delimiter) };
    const { kind } = await startProcess({
      argv: [path, '--version'],
      cwd: given.cwd,
      env,
      timeoutMs: probeMs,
    }).end;
    if (kind === 'exit') return env;
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
