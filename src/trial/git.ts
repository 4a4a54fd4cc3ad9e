import { spawnSync } from 'node:child_process';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';

const MAX_OUTPUT_BYTES = 268_435_456;
const DEADLINE_MS = 120_000;

/** Switches off everything of a repository that could run a program or reach a network while it is read. */
const inert = [
  '--no-pager',
  '--no-replace-objects',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.attributesFile=/dev/null',
  '-c',
  'protocol.allow=never',
];

interface GitCall {
  readonly cwd: string;
  readonly words: readonly string[];
  readonly input?: string;
}

/**
 * Runs one reading git command on the repository of `cwd` and gives its output back. The caller's own `GIT_*` and
 * configuration do not count. Only `drift try` calls git (design §6).
 * Reasons: git_failed.
 */
export function runGit({ cwd, words, input = '' }: GitCall): Result<Buffer, Failure> {
  const { status, stdout, stderr, error } = spawnSync('git', [...inert, ...words], {
    cwd,
    input,
    env: quietEnvironment(),
    maxBuffer: MAX_OUTPUT_BYTES,
    timeout: DEADLINE_MS,
  });
  if (error) return fail({ reason: 'git_failed', file: cwd, detail: error.message });
  if (status === 0) return ok(stdout);
  const said = stderr.toString('utf8').trim().split('\n').at(-1) ?? '';
  return fail({ reason: 'git_failed', file: cwd, detail: said.slice(0, 200) });
}

function quietEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(own),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}
