import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../src/contract/config.ts';
import { createObserver } from '../../src/observer/create-observer.ts';
import { openCapture } from '../../src/shim/capture.ts';
import { temporaryFolder } from './rig.ts';
import { basis } from './transition.ts';

export interface ObservedWorkspace {
  readonly workspace: string;
  readonly state: string;
  /** Writes `a.py` and ends a turn: one captured transition. */
  turn(id: string, text: string): Promise<void>;
}

/** A workspace with one declared file, observed with the given configuration; gone when the test ends. */
export function observedWorkspace(config: Partial<Config>): ObservedWorkspace {
  const folder = temporaryFolder();
  const workspace = join(folder, 'work');
  const state = join(folder, 'state');
  for (const made of [workspace, state]) mkdirSync(made, { mode: 0o700 });
  writeFileSync(join(workspace, 'a.py'), 'x = 0\n');
  const configFile = join(state, 'config.json');
  writeFileSync(configFile, JSON.stringify({ schema_version: 'drift_config_v1', ...config }), {
    mode: 0o600,
  });
  const created = createObserver({
    cwd: workspace,
    state,
    configFile,
    workspace,
    basis: { words: basis },
    paths: ['a.py'],
    globs: [],
    runtimeRoot: null,
    goalId: 'weather',
    evaluator: null,
    host: null,
    replace: false,
    now: new Date().toISOString(),
  });
  if (!created.ok) throw new Error(JSON.stringify(created.failure));
  return {
    workspace,
    state,
    turn: async (id, text) => {
      writeFileSync(join(workspace, 'a.py'), text);
      const capture = openCapture(['--state-dir', state, '--agent-id', 'worker', '--turn-id', id], ['true']);
      await capture?.afterCommand({
        exitCode: 0,
        signal: null,
        startedAt: Date.now(),
        durationMs: 1,
        stdoutTail: null,
        stdoutCut: false,
      });
    },
  };
}
