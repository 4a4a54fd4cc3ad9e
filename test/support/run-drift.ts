import { spawnSync } from 'node:child_process';

/** The launcher of this checkout; `npm run build` makes what it starts. */
export const driftBin = new URL('../../bin/drift', import.meta.url).pathname;

export interface DriftRun {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout as it came. */
  readonly bytes: Buffer;
}

interface RunOptions {
  readonly cwd: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

const environment = (extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => {
  const { DRIFT_STATE_DIR: _state, DRIFT_CONFIG: _config, ...rest } = process.env;
  return { ...rest, ...extra };
};

/** Runs the built command to its end. */
export function runDrift(args: readonly string[], { cwd, input, env }: RunOptions): DriftRun {
  const { status, signal, stdout, stderr, error } = spawnSync(driftBin, args, {
    cwd,
    env: environment(env),
    maxBuffer: 64 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });
  if (error) throw error;
  return { exit: status, signal, stdout: stdout.toString(), stderr: stderr.toString(), bytes: stdout };
}

/** The one document that a command printed with `--json`. */
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a document.
export const documentOf = (run: DriftRun): any => JSON.parse(run.stdout);
