import { bindingOf, type NodeParts } from '../launch/node-parts.ts';
import type { StartPlan } from '../start/start-plan.ts';
import type { DescriptorPlan } from './descriptors.ts';
import type { RunningCommand } from './start-process.ts';

/** What `node:child_process` itself stands on, as far as it is used here. 0 is success; a negative number an errno. */
interface ProcessHandle {
  readonly pid: number;
  onexit: (exitCode: number, signal: string) => void;
  spawn(...words: unknown[]): number;
  kill(signal: number): number;
  close(): void;
}

/**
 * Starts a plan that passes descriptors on and needs no stream. Null where that cannot be done, for whatever reason; then
 * nothing has been started, and `node:child_process` is to be asked, which also has the words for what is wrong.
 */
export function spawnDirectly(
  form: NonNullable<NodeParts['spawn']>,
  { file, args, env }: StartPlan,
  stdio: DescriptorPlan['stdio'],
  ended: (exitCode: number | null, signal: NodeJS.Signals | null) => void,
): RunningCommand | null {
  const handle = stdio.includes('pipe') ? null : createHandle();
  if (handle === null) return null;
  handle.onexit = (exitCode, signal) => {
    handle.close();
    if (signal) ended(null, signal as NodeJS.Signals);
    else ended(exitCode, null);
  };
  const words = [file, ...args];
  const envPairs = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const entries = stdio.map((entry) =>
    typeof entry === 'number' ? { type: 'fd', fd: entry } : { type: 'ignore' },
  );
  const isStarted = succeeds(() =>
    form === 'object'
      ? handle.spawn({ file, args: words, envPairs, stdio: entries, detached: false })
      : handle.spawn(file, words, undefined, envPairs, entries, 0, undefined, undefined),
  );
  if (!isStarted) {
    handle.close();
    return null;
  }
  return {
    pid: handle.pid,
    kill: (signal) => void handle.kill(numberOf(signal)),
    stream: () => null,
  };
}

/** Arguments that cannot be taken are thrown, before anything is started. */
function succeeds(spawn: () => number): boolean {
  try {
    return spawn() === 0;
  } catch {
    return false;
  }
}

function createHandle(): ProcessHandle | null {
  try {
    const { Process } = bindingOf('process_wrap') as { readonly Process: new () => ProcessHandle };
    return new Process();
  } catch {
    return null;
  }
}

const numberOf = (signal: NodeJS.Signals): number =>
  process.getBuiltinModule('node:os').constants.signals[signal];
