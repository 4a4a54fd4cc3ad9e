import type { GateCommand } from '../contract/gate.ts';
import { type GateRecord, judgeEnd, recordOutcome } from './gate-record.ts';
import { type Environment, environmentFor } from './resolve-runner.ts';
import { startProcess } from './run-process.ts';

export const commandTimeoutMs = 900_000;

/** Told of the command that runs now, and null when it has ended. */
export type Progress = (label: string | null) => void;

/** Runs every command, one after the other; a failure stops none of the later ones. */
export async function runCommands(
  record: GateRecord,
  commands: readonly GateCommand[],
  { cwd, env, progress }: Environment & { readonly progress: Progress },
): Promise<void> {
  for (const command of commands) {
    const [runner] = command.argv;
    progress(command.label);
    const usable = (await environmentFor(runner, { cwd, env })) ?? env;
    const timeoutMs = command.timeoutMs ?? commandTimeoutMs;
    const running = startProcess({ argv: command.argv, cwd, env: usable, timeoutMs });
    const outcome = judgeEnd(await running.end, command);
    progress(null);
    recordOutcome(record, { label: command.label, runner, output: running.tail() }, outcome);
  }
}
