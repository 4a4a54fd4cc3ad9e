import { isUtf8 } from 'node:buffer';
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
import { dirname, join } from 'node:path';
import { scopeCeilings } from '../contract/config-keys.ts';
import type {
  BeforeState,
  CaptureFailureReason,
  FileStat,
  FileState,
  UnreadableReason,
} from '../contract/event.ts';
import { createHash } from '../spool/lazy-crypto.ts';
import type { DeclaredFile } from './declared-files.ts';

/**
 * A file whose ctime is this close to the snapshot that recorded it may have changed since without its metadata
 * showing it (timestamps are coarse), so it is read again.
 */
const RACY_MS = 2_000;
const MAX_TRIES = 5;

/** The checkpoint to compare with; null when there is nothing to compare with. */
export interface Previous {
  readonly files: readonly FileState[];
  /** Epoch milliseconds when its snapshot began. */
  readonly takenAt: number;
}

export interface Snapshot {
  readonly files: readonly FileState[];
  /** Bytes of changed texts by path. */
  readonly texts: ReadonlyMap<string, Uint8Array>;
}

export type SnapshotTaken = Snapshot | { readonly failed: CaptureFailureReason };

export interface SnapshotLimits {
  readonly max_files: number;
  readonly max_bytes: number;
}

class Refused extends Error {
  readonly reason: CaptureFailureReason;
  constructor(reason: CaptureFailureReason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Looks at every declared file, metadata first: only a file whose metadata moved, or may have moved unseen, is read,
 * once, with equal metadata before and after. Never follows a symbolic link in any component, never waits on a pipe.
 * Text places of changed files are left for the composer, which knows the sequence number.
 */
export function takeSnapshot(
  workspace: string,
  declared: readonly DeclaredFile[],
  previous: Previous | null,
  limits: SnapshotLimits,
): SnapshotTaken {
  const before = new Map(previous?.files.map((file) => [file.path, file]));
  const folders = new FolderCheck(workspace);
  const texts = new Map<string, Uint8Array>();
  const files: FileState[] = [];
  let bytes = 0;
  if (declared.filter(({ role }) => role === 'declared').length > limits.max_files)
    return { failed: 'too_many_files' };
  try {
    for (const file of declared) {
      const known = before.get(file.path);
      const seen = look(workspace, file, known, { folders, takenAt: previous?.takenAt ?? 0 });
      bytes += seen.state.state === 'text' ? (seen.state.stat?.size ?? 0) : 0;
      if (bytes > limits.max_bytes) return { failed: 'over_budget' };
      files.push(seen.state);
      if (seen.text) texts.set(file.path, seen.text);
    }
  } catch (error) {
    if (error instanceof Refused) return { failed: error.reason };
    throw error;
  }
  return { files, texts };
}

interface Seen {
  readonly state: FileState;
  readonly text?: Uint8Array;
}

interface Context {
  readonly folders: FolderCheck;
  readonly takenAt: number;
}

function look(workspace: string, file: DeclaredFile, known: FileState | undefined, context: Context): Seen {
  const full = join(workspace, file.path);
  const stat = context.folders.admits(file.path) ? lstatOrNull(full) : null;
  if (stat === null) return seenAs(file, known, { state: 'missing', sha256: null, stat: null });
  if (stat.isSymbolicLink()) throw new Refused('symlink');
  if (!stat.isFile()) throw new Refused('not_regular');
  const metadata = metadataOf(stat);
  if (known?.stat && sameMetadata(known.stat, metadata) && metadata.ctime_ms < context.takenAt - RACY_MS)
    return { state: unchanged(known, metadata) };
  if (stat.size > scopeCeilings.max_file_bytes) return unreadable(file, known, 'too_large', metadata);
  return readStable(full, file, known);
}

function lstatOrNull(full: string): Stats | null {
  try {
    return lstatSync(full);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Reads until metadata before and after agree; gives up as `files_unstable`. */
function readStable(full: string, file: DeclaredFile, known: FileState | undefined): Seen {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 ** tries);
    const read = readOnce(full);
    if (read === 'missing') return seenAs(file, known, { state: 'missing', sha256: null, stat: null });
    if (read === 'permission') {
      const stat = lstatOrNull(full);
      return unreadable(file, known, 'permission', stat && metadataOf(stat));
    }
    if (read !== 'unstable') return judge(file, known, read);
  }
  throw new Refused('files_unstable');
}

interface Read {
  readonly bytes: Buffer;
  readonly metadata: FileStat;
}

function readOnce(full: string): Read | 'missing' | 'permission' | 'unstable' {
  let fd: number;
  try {
    fd = openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return openProblem(error as NodeJS.ErrnoException);
  }
  try {
    const before = fstatSync(fd);
    if (!before.isFile()) throw new Refused('not_regular');
    refuseDetour(fd, full);
    if (before.size > scopeCeilings.max_file_bytes) return 'unstable';
    const bytes = readAll(fd, before.size);
    const metadata = metadataOf(fstatSync(fd));
    const stable = bytes.length === before.size && sameMetadata(metadataOf(before), metadata);
    return stable ? { bytes, metadata } : 'unstable';
  } finally {
    closeSync(fd);
  }
}

function openProblem({ code }: NodeJS.ErrnoException): 'missing' | 'permission' {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
  if (code === 'ELOOP') throw new Refused('symlink');
  if (code === 'ENXIO') throw new Refused('not_regular');
  return 'permission';
}

/** Where the system tells an open file's own path, a component swapped for a link since the check shows up here. */
function refuseDetour(fd: number, full: string): void {
  let real: string;
  try {
    real = readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return;
  }
  if (real !== full && !real.endsWith(' (deleted)')) throw new Refused('symlink');
}

function readAll(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const count = readSync(fd, bytes, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function judge(file: DeclaredFile, known: FileState | undefined, { bytes, metadata }: Read): Seen {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const reason: UnreadableReason | undefined = bytes.includes(0)
    ? 'binary'
    : isUtf8(bytes)
      ? undefined
      : 'not_utf8';
  if (reason) return unreadable(file, known, reason, metadata, sha256);
  if (known?.state === 'text' && known.sha256 === sha256) return { state: unchanged(known, metadata) };
  return { ...seenAs(file, known, { state: 'text', sha256, stat: metadata }), text: bytes };
}

/** An unreadable path whose bytes did not change does not count as changed. */
function unreadable(
  file: DeclaredFile,
  known: FileState | undefined,
  reason: UnreadableReason,
  stat: FileStat | null,
  sha256: string | null = null,
): Seen {
  const same =
    known?.state === 'unreadable' &&
    (sha256 !== null || known.sha256 !== null ? known.sha256 === sha256 : sameMetadata(known.stat, stat));
  if (known && same) return { state: unchanged(known, stat) };
  return seenAs(file, known, { state: 'unreadable', reason, sha256, stat });
}

function unchanged(known: FileState, stat: FileStat | null): FileState {
  const { change: _change, before: _before, ...rest } = known;
  return { ...rest, stat };
}

function seenAs(
  { path, role }: DeclaredFile,
  known: FileState | undefined,
  now: Pick<FileState, 'state' | 'sha256' | 'stat' | 'reason'>,
): Seen {
  const wasThere = known !== undefined && known.state !== 'missing';
  const isThere = now.state !== 'missing';
  const change = wasThere ? (isThere ? 'modified' : 'deleted') : isThere ? 'added' : undefined;
  const before = wasThere ? { before: sideBefore(known) } : {};
  return { state: { path, role, ...now, text: null, ...(change ? { change, ...before } : {}) } };
}

const sideBefore = ({ state, reason, sha256, stat, text }: FileState): BeforeState => ({
  state: state === 'text' ? 'text' : 'unreadable',
  ...(reason ? { reason } : {}),
  sha256,
  size: stat?.size ?? 0,
  text,
});

const metadataOf = (stat: Stats): FileStat => ({
  size: stat.size,
  mtime_ms: stat.mtimeMs,
  ctime_ms: stat.ctimeMs,
  ino: stat.ino,
});

const sameMetadata = (a: FileStat | null, b: FileStat | null): boolean =>
  a !== null &&
  b !== null &&
  a.size === b.size &&
  a.mtime_ms === b.mtime_ms &&
  a.ctime_ms === b.ctime_ms &&
  a.ino === b.ino;

/** Refuses a link in any folder on the way to a file; remembers what it has checked during one snapshot. */
class FolderCheck {
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
    const stat = lstatOrNull(join(this.workspace, folder));
    if (stat?.isSymbolicLink()) throw new Refused('symlink');
    return stat?.isDirectory() ?? false;
  }
}
