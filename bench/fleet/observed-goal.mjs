// One goal observed on one made-up host, in a folder of its own: made once, then used by any number of processes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinFleet } from '../../dist/fleet/host/membership.js';
import { runShip } from '../../dist/fleet/host/run-ship.js';
import { createObserver } from '../../dist/observer/create-observer.js';
import { loadObserver } from '../../dist/observer/load-observer.js';
import { openCapture } from '../../dist/shim/capture.js';
import { readTail } from '../../dist/spool/enqueue.js';
import { nodeIo } from '../../dist/spool/spool-io.js';

const foldersOf = (base, host, goal) => {
  const folder = join(base, host, goal);
  return { workspace: join(folder, 'work'), state: join(folder, 'state') };
};

const or = ({ ok, value, failure }) => {
  if (!ok) throw new Error(JSON.stringify(failure));
  return value;
};

/** Makes the workspace and an observer that has joined the fleet. */
export async function makeObservedGoal(base, host, goal) {
  const { workspace, state } = foldersOf(base, host, goal);
  for (const made of [workspace, state]) mkdirSync(made, { recursive: true, mode: 0o700 });
  writeFileSync(join(workspace, 'value.py'), 'value = 0\n');
  const configFile = join(state, 'config.json');
  const config = { schema_version: 'drift_config_v1', fleet: { host_name: host } };
  writeFileSync(configFile, JSON.stringify(config), { mode: 0o600 });
  or(
    createObserver({
      cwd: workspace,
      state,
      configFile,
      workspace,
      basis: { words: { objective: 'The value grows', acceptance: ['Every second turn makes it larger'] } },
      paths: ['value.py'],
      globs: [],
      runtimeRoot: null,
      goalId: goal,
      evaluator: null,
      host: null,
      replace: false,
      now: new Date().toISOString(),
    }),
  );
  const loaded = or(loadObserver({ stateDir: state, env: {}, cwd: workspace }));
  or(await joinFleet(loaded));
}

/** An observed goal, opened by one process. */
export function openObservedGoal(base, host, goal) {
  const { workspace, state } = foldersOf(base, host, goal);
  const load = () => loadObserver({ stateDir: state, env: {}, cwd: workspace });
  const { layout } = or(load());
  return {
    goal,
    state,
    receipts: join(state, 'runtime', 'goals', goal, 'progress-review', 'receipts'),
    journal: layout.journal,
    /** Turns captured so far; entry 0 is the first checkpoint. */
    turns: () => readTail(nodeIo, layout)?.sequence ?? 0,
    /** Turn n: every second one changes the value, the others only a remark. Captured as refresh captures it. */
    async turn(n) {
      writeFileSync(join(workspace, 'value.py'), `value = ${Math.ceil(n / 2)}\n# remark ${n}\n`);
      const capture = openCapture(
        ['--state-dir', state, '--agent-id', host, '--turn-id', `${host}-${n}`],
        ['true'],
      );
      const ended = { exitCode: 0, signal: null, durationMs: 1, stdoutTail: null, stdoutCut: false };
      await capture?.afterCommand({ ...ended, startedAt: Date.now() });
    },
    /** One exchange with the database: the outcome, or null when it did not come about. */
    async ship(env) {
      const outcome = await runShip({
        loaded: or(load()),
        reload: load,
        env,
        now: Date.now,
        clock: () => performance.now(),
        watchMs: null,
        pollMs: 100,
        signal: new AbortController().signal,
        onEvent: () => undefined,
        onNotice: (notice) => process.stderr.write(`${JSON.stringify(notice)}\n`),
      });
      return outcome.ok ? outcome.value : null;
    },
  };
}
