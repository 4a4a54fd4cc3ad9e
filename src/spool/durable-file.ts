import { join } from 'node:path';
import { randomBytes } from './lazy-crypto.ts';
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
  const file = join(staging, `${process.pid}-${randomBytes(8).toString('hex')}`);
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

function openOrMakeFolder(io: SpoolIo, file: string, folder: string): number {
  try {
    return io.openSync(file, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    io.mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    return io.openSync(file, 'wx', PRIVATE_FILE);
  }
}

function writeAll(io: SpoolIo, fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const written = io.writeSync(fd, bytes, at, bytes.length - at);
    if (written <= 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
    at += written;
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(io: SpoolIo, folder: string): void {
  const fd = io.openSync(folder, 'r');
  try {
    io.fsyncSync(fd);
  } finally {
    io.closeSync(fd);
  }
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

/** Makes a folder and its parents, private whatever the umask. */
export function makePrivateFolder(io: SpoolIo, folder: string): void {
  io.mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
}
