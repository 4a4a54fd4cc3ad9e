import { unlinkSync } from 'node:fs';
import { execa } from 'execa';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import type { LogFormat } from '../contract/turn.ts';
import { classifySessionLog } from './classify-session-log.ts';
import type { Host } from './supervise.ts';

export interface HostCommands {
  readonly log: string;
  readonly format?: LogFormat | undefined;
  /** A shell line that gets the message on its standard input. */
  readonly sendCmd: string;
  /** A shell line that ends when the session is idle. */
  readonly waitCmd: string;
  /** A shell line that prints how to go on; nobody is asked without one. */
  readonly askCmd?: string | undefined;
  /** A file that a watchdog makes just before it aborts a turn. */
  readonly watchdogFlag?: string | undefined;
  readonly watchdogMarker?: string | undefined;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const maxAnswerBytes = 1024 * 1024;

/** A host that is reached through a session log and shell lines. */
export function commandHost(commands: HostCommands): Host {
  const { log, format, watchdogFlag, watchdogMarker: marker, cwd, env } = commands;
  const run = async (line: string, option: string, input?: string): Promise<Result<string, Failure>> => {
    const { exitCode, signal, stdout, isMaxBuffer } = await execa('/bin/sh', ['-c', line], {
      cwd,
      env,
      extendEnv: false,
      reject: false,
      ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
      stderr: 'inherit',
      maxBuffer: maxAnswerBytes,
    });
    if (exitCode === 0 && !isMaxBuffer) return ok(stdout);
    return fail({ reason: 'host_command_failed', field: option, detail: signal ?? `exit ${exitCode}` });
  };
  const done = async (result: Promise<Result<string, Failure>>): Promise<Result<null, Failure>> => {
    const ended = await result;
    return ended.ok ? ok(null) : ended;
  };
  return {
    read: () => classifySessionLog(log, { format, marker }),
    send: (text) => done(run(commands.sendCmd, '--send-cmd', text)),
    waitForIdle: () => done(run(commands.waitCmd, '--wait-cmd')),
    ask: async () => (commands.askCmd === undefined ? ok(null) : run(commands.askCmd, '--ask-cmd')),
    takeWatchdogFlag: () => watchdogFlag !== undefined && removeFlag(watchdogFlag),
  };
}

/** Taking it away is what makes it count once, whoever else looks for it. */
function removeFlag(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch {
    return false;
  }
}
