import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../contract/config.ts';
import type { Failure } from '../contract/failure.ts';
import { ok, type Result } from '../contract/result.ts';
import { createObserver } from '../observer/create-observer.ts';
import { type LoadedObserver, loadObserver } from '../observer/load-observer.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import { errorCode } from '../spool/spool-io.ts';
import type { FileSet, LoadedCase } from './load-matrix.ts';

const drift = fileURLToPath(new URL('../../bin/drift', import.meta.url));

/** The one agent of every case. */
export const comparedAgent = 'compared-agent';

/** The turn of round `n`, counted from 1. */
export const turnOf = (caseId: string, n: number): string => `${caseId}-r${n}`;

/** One case in a git repository of its own, observed. `folder` is private and temporary; whoever made it removes it. */
export interface CaseObserver {
  readonly loaded: LoadedObserver;
  /** Writes the files of round `n` and ends the turn with a real `drift refresh`. */
  playRound(n: number): Promise<void>;
}

export interface CaseStage {
  readonly folder: string;
  readonly config: Partial<Config>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** ISO 8601. */
  readonly now: string;
}

/**
 * Sets a case up: baseline files, `git init`, basis, observer, first checkpoint. The goal id is a digest of the case
 * id, so that no label in the name can reach anyone who judges.
 */
export async function observeCase(
  { definition, baseline, rounds }: LoadedCase,
  stage: CaseStage,
): Promise<Result<CaseObserver, Failure>> {
  const workspace = join(stage.folder, 'work');
  const state = join(stage.folder, 'state');
  for (const made of [workspace, state]) mkdirSync(made, { recursive: true, mode: 0o700 });
  const env = Object.fromEntries(Object.entries(stage.env).filter(([name]) => !/^(?:DRIFT|GIT)_/.test(name)));
  writeFiles(workspace, baseline);
  await initRepository(workspace, env);
  const configFile = join(state, 'config.json');
  const config = { schema_version: 'drift_config_v1', diagnostics: 'file', ...stage.config };
  writeFileSync(configFile, `${JSON.stringify(config)}\n`, { mode: 0o600 });
  const created = createObserver({
    cwd: workspace,
    state,
    configFile,
    workspace,
    basis: { words: definition.basis },
    paths: definition.paths,
    globs: [],
    runtimeRoot: null,
    goalId: `goal-${sha256(definition.case_id).slice(0, 16)}`,
    evaluator: null,
    host: 'generic',
    replace: false,
    now: stage.now,
  });
  const loaded = created.ok ? loadObserver({ stateDir: state, env: {}, cwd: workspace }) : created;
  if (!loaded.ok) return loaded;
  return ok({
    loaded: loaded.value,
    playRound: async (n) => {
      writeFiles(workspace, rounds[n - 1] ?? new Map());
      const claim = claimFlags(definition.rounds[n - 1]?.self_report ?? {});
      const identity = ['--agent-id', comparedAgent, '--turn-id', turnOf(definition.case_id, n)];
      const words = ['refresh', '--state-dir', state, ...identity, ...claim, '--', 'true'];
      await run(drift, words, { cwd: workspace, env });
    },
  });
}

/** The branch of a real repository; where git is missing the case is played in a plain folder, which drift allows. */
async function initRepository(workspace: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run('git', ['init', '--quiet', '--initial-branch=main', workspace], { cwd: workspace, env });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** The agent's own report as a typed claim (contract §2): for the policy, never for an evaluator. */
const claimFlags = (report: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(report).flatMap(([key, value]) =>
    value === undefined ? [] : [`--progress-${key.replaceAll('_', '-')}`, value],
  );

function writeFiles(workspace: string, files: FileSet): void {
  for (const [path, bytes] of files) {
    const file = join(workspace, path);
    if (bytes === null) rmSync(file, { force: true });
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
  }
}

async function run(
  command: string,
  words: readonly string[],
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  // In a group of its own: an interrupt at the terminal is for the comparison, which ends after the round in hand.
  const child = spawn(command, words, { ...where, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(0, 400);
  });
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`${command} ${words[0]} ended with ${status}: ${complaint.trim()}`);
}
