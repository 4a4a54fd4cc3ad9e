import type { Failure } from '../contract/failure.ts';
import { errorCode } from '../spool/spool-io.ts';

/** What the filesystem reported, as an expected failure; null for anything else, which is a bug. */
export function writeFailure(error: unknown, file: string): Failure | null {
  const code = errorCode(error);
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return null;
  const { path } = error as NodeJS.ErrnoException;
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'disk_full' : 'write_failed';
  return { reason, file: path ?? file, detail: code };
}
