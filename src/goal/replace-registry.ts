import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';

/**
 * Puts `text` in place of a registry in one step, private, synced before and after. Never through a symbolic link.
 * Whoever reads sees the old file or the new one. Reasons: file_not_regular, disk_full, write_failed.
 */
export function replaceRegistry(file: string, text: string): Result<null, Failure> {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile())
    return fail({
      reason: 'file_not_regular',
      file,
      detail: there.isSymbolicLink() ? 'it is a symbolic link' : 'it is no file',
    });
  const staged = join(
    dirname(file),
    `.${basename(file)}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`,
  );
  try {
    writeSynced(staged, text);
    renameSync(staged, file);
    syncFolder(dirname(file));
    return ok(null);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    remove(staged);
    return fail({ reason: code === 'ENOSPC' ? 'disk_full' : 'write_failed', file, detail: String(code) });
  }
}

function writeSynced(file: string, text: string): void {
  const fd = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was never there, or has its new name already.
  }
}
