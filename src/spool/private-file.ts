import { constants } from 'node:fs';
import { errorCode, type SpoolIo } from './spool-io.ts';

// A stranger with the right name may be a pipe or a link: neither may hold us up or lead us elsewhere.
const CAREFULLY = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file for reading. */
export const openForRead = (io: SpoolIo, file: string): number =>
  io.openSync(file, constants.O_RDONLY | CAREFULLY);

/** Opens a file for reading and writing in place; throws ENOENT where it is missing. */
export const openForUpdate = (io: SpoolIo, file: string): number =>
  io.openSync(file, constants.O_RDWR | CAREFULLY);

/** Makes a file that is to be written in place and opens it so; its room is taken once and for all. */
export function createInPlace(io: SpoolIo, file: string, bytes: Uint8Array): number {
  const fd = io.openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    io.fchmodSync(fd, 0o600);
    writeAll(io, fd, bytes);
    return fd;
  } catch (error) {
    io.closeSync(fd);
    throw error;
  }
}

/** Opens a file for adding to its end, and for reading what is there; made where it is missing, private whatever the umask. */
export function openForAppend(io: SpoolIo, file: string): number {
  const fd = io.openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | CAREFULLY, 0o600);
  try {
    io.fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    io.closeSync(fd);
    throw error;
  }
}

/** Writes everything, however little a single write takes. */
export function writeAll(io: SpoolIo, fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const written = io.writeSync(fd, bytes, at, bytes.length - at);
    if (written <= 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
    at += written;
  }
}

/** The same from an offset on. */
export function writeAllAt(io: SpoolIo, fd: number, bytes: Uint8Array, offset: number): void {
  for (let at = 0; at < bytes.length; ) {
    const written = io.writeSync(fd, bytes, at, bytes.length - at, offset + at);
    if (written <= 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
    at += written;
  }
}

/** Up to `length` bytes from `offset` on; fewer only where the file ends. */
export function readAt(io: SpoolIo, fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const count = io.readSync(fd, bytes, at, length - at, offset + at);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

/**
 * A private file, whole. Null where it is missing, is no regular file or holds more than `maxBytes`: what cannot be
 * read is as good as not there for those who ask here.
 */
export function readPrivateFile(io: SpoolIo, file: string, maxBytes: number): Buffer | null {
  let fd: number;
  try {
    fd = openForRead(io, file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
  try {
    const stat = io.fstatSync(fd);
    return stat.isFile() && stat.size <= maxBytes ? readAt(io, fd, 0, stat.size) : null;
  } finally {
    io.closeSync(fd);
  }
}
