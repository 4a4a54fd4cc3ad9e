import { writeSync } from 'node:fs';

/** A command that could not be started, told as a shell tells it. */
export interface StartFailure {
  /** 127: not found; 126: found, but it cannot be run. The convention of env(1), nohup(1) and timeout(1). */
  readonly exitCode: 126 | 127;
  readonly message: string;
}

const messages: Readonly<Record<string, string>> = {
  ENOENT: 'command not found',
  EACCES: 'Permission denied',
  ENOTDIR: 'Not a directory',
  E2BIG: 'Argument list too long',
  ENOEXEC: 'Exec format error',
};

export function describeStartFailure(program: string, error: unknown): StartFailure {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? 'unknown error';
  return {
    exitCode: code === 'ENOENT' ? 127 : 126,
    message: `drift: ${program}: ${messages[code] ?? code}\n`,
  };
}

export function tellStartFailure({ message }: StartFailure): void {
  try {
    writeSync(2, message);
  } catch {
    // Nobody listens.
  }
}
