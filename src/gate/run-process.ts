import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';

/** How a command of the gate ended. */
export type ProcessEnd =
  | { readonly kind: 'exit'; readonly exit: number }
  /** By a signal that was not ours. */
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  /** It never ran: ENOENT, EACCES and their like. */
  | { readonly kind: 'spawn_error'; readonly code: string };

/** A command that has been started, in a process group of its own. */
export interface RunningProcess {
  readonly end: Promise<ProcessEnd>;
  /** The end of what it wrote so far, at most 64 KiB. */
  readonly tail: () => Buffer;
  /** Ends the whole group: asked first, forced after two seconds. */
  readonly stop: () => Promise<void>;
}

export interface ProcessCall {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** None: it runs until it is stopped. */
  readonly timeoutMs?: number;
  /** Leaves what the command has put into the background alone until `stop`. */
  readonly keepsGroup?: boolean;
}

const maxTailBytes = 65_536;
const patienceMs = 2_000;
/** How long output may trail behind the end of the command; a grandchild that keeps the pipe open is not waited for. */
const drainMs = 250;

const liveGroups = new Set<number>();

/** Starts a command without input. It never throws: what cannot be started ends as `spawn_error`. */
export function startProcess({
  argv: [program, ...words],
  cwd,
  env,
  timeoutMs,
  keepsGroup = false,
}: ProcessCall): RunningProcess {
  const child = execa(program, words, {
    cwd,
    env,
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    encoding: 'buffer',
    reject: false,
    // A group of its own, so that the grandchildren can be ended with it.
    detached: true,
    cleanup: false,
    forceKillAfterDelay: false,
  });
  const tail = keepTail([child.stdout, child.stderr]);
  const group = child.pid;
  if (group !== undefined) liveGroups.add(group);
  let timedOut = false;
  const stop = async (): Promise<void> => {
    if (group !== undefined) await stopGroup(group);
  };
  const timer =
    timeoutMs === undefined || group === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          void stop();
        }, timeoutMs);

  const ended = async (): Promise<ProcessEnd> => {
    if (group === undefined) return { kind: 'spawn_error', code: (await child).code ?? 'unknown' };
    const { exit, signal } = await onExit(child);
    clearTimeout(timer);
    await Promise.race([onClose(child), sleep(drainMs)]);
    if (!keepsGroup) await stop();
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    if (timedOut) return { kind: 'timeout', afterMs: timeoutMs ?? 0 };
    return exit === null ? { kind: 'signal', signal: signal ?? 'unknown' } : { kind: 'exit', exit };
  };
  return { end: ended(), tail, stop };
}

/** Ends every command that still runs, at once. For a gate that is itself interrupted. */
export function killLiveProcesses(): void {
  for (const group of liveGroups) signalGroup(group, 'SIGKILL');
}

type Emitter = Pick<NodeJS.EventEmitter, 'once'>;

function onExit(child: Emitter): Promise<{ exit: number | null; signal: string | null }> {
  return new Promise((resolve) => child.once('exit', (exit, signal) => resolve({ exit, signal })));
}

function onClose(child: Emitter): Promise<void> {
  return new Promise((resolve) => child.once('close', () => resolve()));
}

function keepTail(streams: readonly (NodeJS.ReadableStream | undefined | null)[]): () => Buffer {
  let kept = Buffer.alloc(0);
  for (const stream of streams) {
    stream?.on('data', (chunk: Uint8Array) => {
      kept = Buffer.concat([kept, chunk]).subarray(-maxTailBytes);
    });
    stream?.on('error', () => undefined);
  }
  return () => kept;
}

/** Resolves when nothing of the group is left, at the latest two seconds later. */
async function stopGroup(group: number): Promise<void> {
  const forceAt = Date.now() + patienceMs;
  for (let isAlive = signalGroup(group, 'SIGTERM'); isAlive; isAlive = signalGroup(group, 0)) {
    if (Date.now() > forceAt) {
      signalGroup(group, 'SIGKILL');
      break;
    }
    await sleep(20);
  }
  liveGroups.delete(group);
}

/** False when the group has no member left, or none that is ours. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
