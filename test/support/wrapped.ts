import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driftProgram, run } from './rig.ts';

/** What a caller can tell of a command. */
export interface Told {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: Buffer;
  readonly err: string;
}

interface Asked extends Pick<SpawnOptions, 'cwd' | 'env'> {
  readonly stdin?: Buffer;
  /** stderr is the same pipe as stdout. */
  readonly merge?: boolean;
  readonly onStart?: (child: ChildProcess) => void;
}

/** The caller's environment without what belongs to the test runner, and without what makes the launcher look twice. */
export const plainEnv: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name, value]) => !/^(DRIFT|NODE_|VITEST|FORCE_COLOR|npm_)/.test(name) && !/['"\n]/.test(value ?? ''),
  ),
);

/** Runs a command as a shell would: its stdout is a real pipe, where Node would give it a socket. */
export async function tell(
  argv: readonly string[],
  { cwd, env, stdin, merge, onStart }: Asked = {},
): Promise<Told> {
  const [program = '', ...words] = argv;
  const pipe = makePipe();
  const child = spawn(program, words, {
    cwd: cwd ?? tmpdir(),
    env: env ?? plainEnv,
    // A session of its own: the rules for signals are others on the terminal of whoever runs the tests.
    detached: true,
    stdio: [stdin ? 'pipe' : 'ignore', pipe.writeEnd, merge ? pipe.writeEnd : 'pipe'],
  });
  closeSync(pipe.writeEnd);
  const out = collect(new Socket({ fd: pipe.readEnd, writable: false }));
  const err = child.stderr ? collect(child.stderr as Socket) : Promise.resolve(Buffer.alloc(0));
  const ended = new Promise<Pick<Told, 'code' | 'signal'>>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  child.stdin?.on('error', () => undefined).end(stdin);
  onStart?.(child);
  return { ...(await ended), out: await out, err: (await err).toString() };
}

/** An anonymous pipe, as good as: the name is gone before anybody can use it. */
export function makePipe(): { readonly readEnd: number; readonly writeEnd: number } {
  const folder = mkdtempSync(join(tmpdir(), 'drift-pipe-'));
  try {
    const path = join(folder, 'pipe');
    spawnSync('mkfifo', [path]);
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function collect(stream: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => resolve(Buffer.concat(chunks)));
    stream.on('error', reject);
  });
}

/**
 * A shell script as a command. The word `refresh-state` makes it a refresh of LoopX where the observer is one of LoopX,
 * so that its stdout passes through drift; it is `$0`, and `$1` onward are `words`.
 */
export const sh = (script: string, ...words: string[]): string[] => [
  'sh',
  '-c',
  script,
  'refresh-state',
  ...words,
];

export interface Situation {
  /** Puts drift in front of a command. */
  wrap(command: readonly string[]): string[];
  readonly state: string;
}

/**
 * The ways in which the hot path differs. In `none` the launcher becomes the command; in `idle` there is a state that holds
 * nothing, which Node finds out; in `loopx`, stdout is read on its way.
 */
export const situations = ['none', 'idle', 'generic', 'loopx'] as const;

/** Sets up one of the situations below `dir`. */
export async function prepare(situation: (typeof situations)[number], dir: string): Promise<Situation> {
  const state = join(dir, `${situation}-state`);
  const wrap = (command: readonly string[]): string[] => [
    driftProgram,
    'refresh',
    '--state-dir',
    state,
    '--',
    ...command,
  ];
  if (situation === 'none') return { wrap, state };
  if (situation === 'idle') {
    mkdirSync(state);
    return { wrap, state };
  }
  const work = join(dir, `${situation}-work`);
  mkdirSync(work);
  writeFileSync(join(work, 'a.txt'), 'one\n');
  const criteria = ['--objective', 'Retry a failed download', '--acceptance', 'At most three retries happen'];
  const words = [
    'init',
    '--state-dir',
    state,
    '--workspace',
    work,
    '--path',
    'a.txt',
    '--host',
    situation,
    ...criteria,
  ];
  const ended = await run([driftProgram, ...words]);
  if (ended.rc !== 0) throw new Error(`init ended with ${ended.rc}: ${ended.err}`);
  return { wrap, state };
}

/** Waits for what another process is about to do. */
export async function eventually<T>(look: () => T | null | undefined | false, what: string): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    const seen = look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
