import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { scopeCeilings } from '../contract/config-keys.ts';
import type { CaptureFailureReason, FileStat } from '../contract/event.ts';

const MAX_TRIES = 5;

/** Ends a snapshot with a typed reason. */
export class Refused extends Error {
  readonly reason: CaptureFailureReason;
  constructor(reason: CaptureFailureReason) {
    super(reason);
    this.reason = reason;
  }
}

/** `permission`: a folder on the way may not be entered. */
export function lstatOrNull(full: string): Stats | 'permission' | null {
  try {
    return lstatSync(full, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    if (code === 'EACCES' || code === 'EPERM') return 'permission';
    throw error;
  }
}

/** A file's bytes with the metadata that held before and after. */
export interface StableRead {
  /** Until the next read. */
  readonly bytes: Buffer;
  readonly metadata: FileStat;
}

interface Place {
  readonly workspace: string;
  /** Relative to the workspace. */
  readonly path: string;
}

/**
 * Reads a file once, with equal metadata before and after; tries again while it moves, and gives up as `files_unstable`.
 * Never follows a link in any component, never waits on a pipe. Throws {@link Refused}.
 */
export function readStable(place: Place): StableRead | 'missing' | 'permission' {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 ** tries);
    const read = readOnce(place);
    if (read !== 'unstable') return read;
  }
  throw new Refused('files_unstable');
}

function readOnce({ workspace, path }: Place): StableRead | 'missing' | 'permission' | 'unstable' {
  const full = `${workspace}/${path}`;
  let fd: number;
  try {
    fd = openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return openProblem(error as NodeJS.ErrnoException);
  }
  try {
    const before = fstatSync(fd);
    if (!before.isFile()) throw new Refused('not_regular');
    if (!isReachedDirectly(fd, full, before)) {
      // A component was swapped since it was checked: a link is refused, anything else is looked at again.
      new FolderCheck(workspace).admits(path);
      return 'unstable';
    }
    if (before.size > scopeCeilings.max_file_bytes) return 'unstable';
    const bytes = readAll(fd, before.size);
    const metadata = metadataOf(fstatSync(fd));
    const stable = bytes.length === before.size && sameMetadata(metadataOf(before), metadata);
    return stable ? { bytes, metadata } : 'unstable';
  } finally {
    closeSync(fd);
  }
}

/** Only what speaks of the file itself; a lack of descriptors or a failing disk ends the capture. */
function openProblem(error: NodeJS.ErrnoException): 'missing' | 'permission' {
  const { code } = error;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
  if (code === 'ELOOP') throw new Refused('symlink');
  if (code === 'ENXIO') throw new Refused('not_regular');
  if (code === 'EACCES' || code === 'EPERM') return 'permission';
  throw error;
}

/**
 * Whether an open file is the one that its path leads to without a detour. Where the system tells an open file's own
 * path, that decides; elsewhere the path must still lead to the same file.
 */
function isReachedDirectly(fd: number, full: string, { dev, ino }: Stats): boolean {
  let real: string;
  try {
    real = readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    const now = lstatOrNull(full);
    return now !== null && now !== 'permission' && now.dev === dev && now.ino === ino;
  }
  return real === full || real === `${full} (deleted)`;
}

/** One for all files: memory that the system has to find anew for each costs as much as reading it. */
let readInto = Buffer.alloc(0);

/** The bytes of the last read, to stay: their memory is handed over, unless it is far larger than they are. */
export function keepBytes(bytes: Buffer): Uint8Array {
  if (bytes.buffer !== readInto.buffer || bytes.length * 2 < readInto.length) return Buffer.from(bytes);
  readInto = Buffer.alloc(0);
  return bytes;
}

function readAll(fd: number, size: number): Buffer {
  if (readInto.length < size) readInto = Buffer.allocUnsafeSlow(size);
  let length = 0;
  while (length < size) {
    const count = readSync(fd, readInto, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return readInto.subarray(0, length);
}

/** What of a file's metadata is compared. */
export const metadataOf = (stat: Stats): FileStat => ({
  size: stat.size,
  mtime_ms: stat.mtimeMs,
  ctime_ms: stat.ctimeMs,
  ino: stat.ino,
});

export const sameMetadata = (a: FileStat | null, b: FileStat | null): boolean =>
  a !== null &&
  b !== null &&
  a.size === b.size &&
  a.mtime_ms === b.mtime_ms &&
  a.ctime_ms === b.ctime_ms &&
  a.ino === b.ino;

/** Refuses a link in any folder on the way to a file; remembers what it has checked during one snapshot. */
export class FolderCheck {
  readonly workspace: string;
  readonly checked = new Map<string, boolean>();
  constructor(workspace: string) {
    this.workspace = workspace;
  }

  /** False: a folder on the way is missing. */
  admits(path: string): boolean {
    const folder = dirname(path);
    if (folder === '.') return true;
    const known = this.checked.get(folder);
    if (known !== undefined) return known;
    const admitted = this.admits(folder) && this.isFolder(folder);
    this.checked.set(folder, admitted);
    return admitted;
  }

  private isFolder(folder: string): boolean {
    const stat = lstatOrNull(`${this.workspace}/${folder}`);
    // What lies behind is asked all the same, and answers with the same refusal.
    if (stat === 'permission') return true;
    if (stat?.isSymbolicLink()) throw new Refused('symlink');
    return stat?.isDirectory() ?? false;
  }
}
