import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describeStartFailure, tellStartFailure } from '../start/start-failure.ts';

const notice =
  'drift: on Windows drift refresh only passes the command through; capture is not supported there\n';

/**
 * Windows has neither what the snapshots rely on nor signals to hand on: the command gets the console and the exit code
 * goes back unchanged. Never returns to the caller's turn before the command has ended.
 */
export function runOnWindows(command: readonly string[]): void {
  sayOnce(notice);
  const [program = '', ...args] = command;
  // The console sends these to everybody attached; the command decides what they mean.
  for (const signal of ['SIGINT', 'SIGBREAK', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(program, args, { stdio: 'inherit' });
  child.on('error', (error) => {
    const failure = describeStartFailure(program, error);
    tellStartFailure(failure);
    process.exit(failure.exitCode);
  });
  child.on('exit', (exitCode) => process.exit(exitCode ?? 1));
}

/** Once for each user: a host that merges stderr into its log should not read it at every turn. */
function sayOnce(text: string): void {
  const folder = join(process.env['LOCALAPPDATA'] ?? process.env['TEMP'] ?? '.', 'drift-sentinel');
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'windows-notice'), text, { flag: 'wx' });
    writeSync(2, text);
  } catch {
    // Said before, or there is no place to remember it: silence is what a host can rely on.
  }
}
