import { dirname } from 'node:path';
import { randomBytes } from './lazy-crypto.ts';
import { openForRead, writeAll } from './private-file.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * Writes `parts` to a new file in `staging` and makes it durable (one fsync). Gives its path back; on any error
 * nothing is left behind and the error is thrown. The mode is set outright, so that no umask can loosen or break it.
 */
export function stageFile(
  io: SpoolIo,
  staging: string,
  parts: readonly Uint8Array[],
  durable = true,
): string {
  const file = `${staging}/${process.pid}-${randomBytes(8).toString('hex')}`;
  const fd = openOrMakeFolder(io, file, staging);
  try {
    try {
      io.fchmodSync(fd, PRIVATE_FILE);
      for (const part of parts) writeAll(io, fd, part);
      if (durable) io.fsyncSync(fd);
    } finally {
      io.closeSync(fd);
    }
  } catch (error) {
    removeQuietly(io, file);
    throw error;
  }
  return file;
}

/** Opens a new file in a folder, which is made where it is missing. */
export function openOrMakeFolder(io: SpoolIo, file: string, folder: string): number {
  try {
    return io.openSync(file, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makePrivateFolder(io, folder);
    return io.openSync(file, 'wx', PRIVATE_FILE);
  }
}

/** Makes a folder and its missing parents, private whatever the umask. One that is there already is left as it is. */
export function makePrivateFolder(io: SpoolIo, folder: string): void {
  try {
    io.mkdirSync(folder, PRIVATE_FOLDER);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    makePrivateFolder(io, dirname(folder));
    makePrivateFolder(io, folder);
    return;
  }
  io.chmodSync(folder, PRIVATE_FOLDER);
}

/** Makes the names in a folder durable. */
export function syncFolder(io: SpoolIo, folder: string): void {
  const fd = openForRead(io, folder);
  try {
    io.fsyncSync(fd);
  } finally {
    io.closeSync(fd);
  }
}

/** Makes the bytes of a file that somebody else wrote durable. */
export function syncFile(io: SpoolIo, file: string): void {
  syncFolder(io, file);
}

/** Puts `bytes` in place of `file` in one step. Durable when asked: the file before, the folder after the rename. */
export function replaceFile(
  io: SpoolIo,
  file: string,
  bytes: Uint8Array,
  where: { readonly staging: string; readonly folder?: string },
): void {
  const staged = stageFile(io, where.staging, [bytes], where.folder !== undefined);
  try {
    io.renameSync(staged, file);
  } catch (error) {
    removeQuietly(io, staged);
    throw error;
  }
  if (where.folder !== undefined) syncFolder(io, where.folder);
}

export function removeQuietly(io: SpoolIo, file: string): void {
  try {
    io.unlinkSync(file);
  } catch {
    // It is swept later, or was never there.
  }
}
