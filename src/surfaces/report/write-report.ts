import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Failure } from '../../contract/failure.ts';
import { fail, ok, type Result } from '../../contract/result.ts';

/** Puts a page in place in one step, readable by its owner only: it holds private labels. Reasons: write_failed. */
export function writeReport(file: string, html: string): Result<null, Failure> {
  const staged = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(staged, html, { mode: 0o600, flag: 'wx' });
    renameSync(staged, file);
    return ok(null);
  } catch (error) {
    rmSync(staged, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (!code) throw error;
    return fail({ reason: 'write_failed', file, detail: code });
  }
}
