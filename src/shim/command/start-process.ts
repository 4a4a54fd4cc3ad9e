import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { NodeParts } from '../launch/node-parts.ts';
import type { StartPlan } from '../start/start-plan.ts';
import type { DescriptorPlan } from './descriptors.ts';
import { spawnDirectly } from './spawn-directly.ts';

/** The command while it runs. */
export interface RunningCommand {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Node's end of what the plan calls `pipe`; null for everything else. */
  stream(descriptor: number): Socket | null;
}

export interface Listener {
  /** Called once, when the command has ended. */
  ended(exitCode: number | null, signal: NodeJS.Signals | null): void;
  /** Called instead, when it could not be started. */
  failed(error: unknown): void;
}

/**
 * Starts what a plan says. Without `node:child_process` where that goes, because loading it, and the sockets and streams
 * behind it, costs an eighth of Node's start (docs/decisions/0014-parts-of-node.md).
 *
 * @param form see {@link NodeParts}
 */
export function startProcess(
  plan: StartPlan,
  stdio: DescriptorPlan['stdio'],
  form: NodeParts['spawn'],
  listener: Listener,
): RunningCommand | null {
  const direct = form === null ? null : spawnDirectly(form, plan, stdio, listener.ended);
  return direct ?? spawnAsUsual(plan, stdio, listener);
}

function spawnAsUsual(
  { file, args, env }: StartPlan,
  stdio: DescriptorPlan['stdio'],
  { ended, failed }: Listener,
): RunningCommand | null {
  const { spawn } = process.getBuiltinModule('node:child_process');
  let child: ChildProcess;
  try {
    child = spawn(file, args, { stdio: [...stdio], env });
  } catch (error) {
    // Some errors are thrown, the limit on arguments among them.
    failed(error);
    return null;
  }
  child.on('error', (error) => {
    if (child.pid === undefined) failed(error);
  });
  child.on('exit', ended);
  return child.pid === undefined ? null : runningAs(child, child.pid);
}

const runningAs = (child: ChildProcess, pid: number): RunningCommand => ({
  pid,
  kill: (signal) => void child.kill(signal),
  stream: (descriptor) => {
    const stream = child.stdio[descriptor];
    return stream instanceof process.getBuiltinModule('node:net').Socket ? stream : null;
  },
});
