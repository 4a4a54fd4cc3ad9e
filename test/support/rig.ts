import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished } from 'vitest';
import type { Receipt } from '../../src/contract/receipt.ts';
import type { StatusDocument } from '../../src/readmodel/status.ts';

export const driftProgram = fileURLToPath(new URL('../../bin/drift', import.meta.url));

export interface Ended {
  /** Exit status, or the name of the signal. */
  readonly rc: number | string | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** Called with the process once it runs. */
  readonly onStart?: (child: ChildProcess) => void;
}

const cleanEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(DRIFT|NODE_|VITEST|LOOPX|TYPESAFE)/.test(name)),
);

/** Runs a real process to its end, in an environment without the test runner's variables. */
export function run(
  argv: readonly string[],
  { cwd = tmpdir(), env = {}, input, onStart }: RunOptions = {},
): Promise<Ended> {
  const [program = '', ...words] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      cwd,
      env: { ...cleanEnv, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (bytes: Buffer) => out.push(bytes));
    child.stderr.on('data', (bytes: Buffer) => err.push(bytes));
    child.stdin.on('error', () => undefined).end(input ?? '');
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({ rc: signal ?? code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
    );
    onStart?.(child);
  });
}

const atTheEnd: (() => unknown)[] = [];
afterAll(async () => {
  for (const step of atTheEnd.reverse()) await step();
});

/** Does something when the test ends; in a `beforeAll`, when the file ends. */
export function whenDone(step: () => unknown): void {
  try {
    onTestFinished(async () => void (await step()));
  } catch {
    atTheEnd.push(step);
  }
}

/** Starts the built program and leaves it running; whoever starts it ends it. */
export function startDrift(
  words: readonly string[],
  { cwd = tmpdir(), env = {} }: RunOptions = {},
): ChildProcess {
  return spawn(driftProgram, [...words], { cwd, env: { ...cleanEnv, ...env }, stdio: 'ignore' });
}

/** A temporary folder that is gone when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'drift-test-'));
  whenDone(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const basisText = `${JSON.stringify(
  {
    objective: 'The client retries a failed download',
    acceptance: ['A download is tried at most three times on status 503'],
  },
  null,
  2,
)}\n`;

interface Setup {
  readonly files?: Readonly<Record<string, string>>;
  readonly paths?: readonly string[];
  readonly basis?: string;
  readonly git?: boolean;
  /** More words for `drift init`. */
  readonly args?: readonly string[];
  readonly init?: boolean;
  readonly goal?: string;
  /** Where it lies, for a rig that several tests share; it is theirs to remove. */
  readonly folder?: string;
}

/** A workspace, a state directory, a runtime root, and an observer bound to them unless `init` is false. */
export async function makeRig({
  files = { 'a.txt': 'one\n' },
  paths,
  basis = basisText,
  git = false,
  args = [],
  init = true,
  goal = 'demo-goal',
  folder,
}: Setup = {}) {
  const dir = folder ?? temporaryFolder();
  const work = join(dir, 'work');
  const state = join(dir, 'state');
  const runtime = join(dir, 'runtime');
  mkdirSync(work, { recursive: true });
  writeFileSync(join(dir, 'basis.json'), basis);
  const write = (path: string, text: string | Uint8Array): void => {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  if (git) for (const words of gitStart) spawnSync('git', ['-C', work, ...words], { env: cleanEnv });
  const drift = (words: readonly string[], options: RunOptions = {}): Promise<Ended> =>
    run([driftProgram, words[0] ?? '', '--state-dir', state, ...words.slice(1)], { cwd: work, ...options });
  const initWords = [
    'init',
    '--workspace',
    work,
    '--basis',
    join(dir, 'basis.json'),
    '--runtime-root',
    runtime,
    '--goal-id',
    goal,
    ...(paths ?? Object.keys(files)).flatMap((path) => ['--path', path]),
    ...args,
  ];
  let turn = 0;
  const rig = {
    dir,
    work,
    state,
    runtime,
    goal,
    write,
    drift,
    initWords,
    goalFolder: join(runtime, 'goals', goal),
    /** One refresh around `sh -c script`, with a turn of its own unless told. */
    refresh: (
      script: string,
      {
        turnId,
        agentId = 'worker',
        ...options
      }: RunOptions & { turnId?: string | null; agentId?: string } = {},
    ) => {
      turn += 1;
      const named = turnId === null ? [] : ['--turn-id', turnId ?? `turn-${turn}`];
      return drift(['refresh', ...named, '--agent-id', agentId, '--', 'sh', '-c', script], options);
    },
    drain: async (...words: string[]) => JSON.parse((await drift(['drain', '--json', ...words])).out),
    status: async (...words: string[]): Promise<StatusDocument> =>
      JSON.parse((await drift(['status', '--json', ...words])).out),
    receipts: (): Receipt[] => readReceipts(join(runtime, 'goals', goal, 'progress-review', 'receipts')),
    rows: (): Record<string, unknown>[] =>
      readLines(join(runtime, 'goals', goal, 'runs', 'index.jsonl')).map((line) => JSON.parse(line)),
  };
  if (init) {
    const ended = await drift(initWords);
    if (ended.rc !== 0) throw new Error(`init ended with ${ended.rc}: ${ended.err}`);
  }
  return rig;
}

export type Rig = Awaited<ReturnType<typeof makeRig>>;

const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.invalid'];
const gitStart = [
  ['init', '-q', '-b', 'main'],
  ['add', '-A'],
  [...identity, 'commit', '-q', '-m', 'start'],
];

export const git = (work: string, ...words: string[]): Promise<Ended> =>
  run(['git', '-C', work, ...identity, ...words]);

function readReceipts(folder: string): Receipt[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Receipt)
    .sort((a, b) => a.sequence - b.sequence);
}

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

export function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** Every file below a folder, with its permission bits. */
export function filesBelow(folder: string): { readonly path: string; readonly mode: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((path) => ({ path, mode: (statSync(path).mode & 0o777).toString(8) }));
}
