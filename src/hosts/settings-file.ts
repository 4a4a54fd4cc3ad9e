import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import type { HookHost } from '../contract/hook.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { readOwnFile } from '../json/read-json-file.ts';

const maxBytes = 1024 * 1024;

/** The file that a host reads its hooks from: the project's for Claude Code, the user's for Codex. */
export function locateSettings(
  host: HookHost,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): string {
  if (host === 'claude-code') return join(cwd, '.claude', 'settings.json');
  return join(env['CODEX_HOME'] || join(env['HOME'] || homedir(), '.codex'), 'hooks.json');
}

/** Its text; null where there is none. A link is followed: settings are often kept elsewhere. */
export function readSettings(file: string): Result<string | null, Failure> {
  const read = readOwnFile(realPath(file), maxBytes);
  if (!read.ok) return read.failure.reason === 'file_missing' ? ok(null) : read;
  return ok(read.value.toString('utf8'));
}

/** Puts a text in the file's place in one step; its permissions stay. Fails with `write_failed`. */
export function writeSettings(file: string, text: string): Result<null, Failure> {
  const target = realPath(file);
  const temporary = `${target}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    mkdirSync(dirname(target), { recursive: true });
    const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600;
    writeFileSync(temporary, text, { flag: 'wx', mode });
    renameSync(temporary, target);
    return ok(null);
  } catch (error) {
    rmSync(temporary, { force: true });
    return fail({
      reason: 'write_failed',
      file,
      detail: (error as NodeJS.ErrnoException).code ?? String(error),
    });
  }
}

const realPath = (file: string): string => (existsSync(file) ? realpathSync(file) : file);
