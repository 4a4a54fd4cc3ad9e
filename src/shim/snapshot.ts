import { isUtf8 } from 'node:buffer';
import { scopeCeilings } from '../contract/config-keys.ts';
import type {
  BeforeState,
  CaptureFailureReason,
  FileStat,
  FileState,
  UnreadableReason,
} from '../contract/event.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import type { DeclaredFile } from './declared-files.ts';
import {
  FolderCheck,
  keepBytes,
  lstatOrNull,
  metadataOf,
  Refused,
  readStable,
  type StableRead,
  sameMetadata,
} from './read-stable.ts';

/**
 * Whether a file whose ctime is this close to the snapshot that recorded it may have changed since without its metadata
 * showing it, so that it has to be read again (docs/decisions/0013-racy-timestamps.md): whole seconds tell of a filesystem
 * that keeps no more, FAT every other one; any other takes the kernel's clock, which ticks every 10 ms at least.
 */
export const mayHideChange = (ctimeMs: number, takenAt: number): boolean =>
  ctimeMs >= takenAt - (ctimeMs % 1_000 === 0 ? 2_000 : 20);

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
  const names = new Map<string, number>();
  let bytes = 0;
  if (declared.filter(({ role }) => role === 'declared').length > limits.max_files)
    return { failed: 'too_many_files' };
  try {
    for (const file of declared) {
      const known = before.get(file.path);
      const seen = look(workspace, file, known, { folders, takenAt: previous?.takenAt ?? 0 });
      bytes += seen.state.state === 'text' ? (seen.state.stat?.size ?? 0) : 0;
      if (bytes > limits.max_bytes) return { failed: 'over_budget' };
      refuseFoldedName(names, seen.state);
      files.push(seen.state);
      if (seen.text) texts.set(file.path, seen.text);
    }
  } catch (error) {
    if (error instanceof Refused) return { failed: error.reason };
    throw error;
  }
  return { files, texts };
}

/** Two names that differ in case or normalisation only and lead to one file are that one file, declared twice. */
function refuseFoldedName(names: Map<string, number>, { path, stat }: FileState): void {
  if (stat === null) return;
  const folded = path.normalize('NFC').toLowerCase();
  if (names.get(folded) === stat.ino) throw new Refused('names_collide');
  names.set(folded, stat.ino);
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
  const full = `${workspace}/${file.path}`;
  const stat = context.folders.admits(file.path) ? lstatOrNull(full) : null;
  if (stat === 'permission') return unreadable(file, known, 'permission', null);
  if (stat === null) return lookedInVain(file, known);
  if (stat.isSymbolicLink()) throw new Refused('symlink');
  if (!stat.isFile()) throw new Refused('not_regular');
  const metadata = metadataOf(stat);
  const isKnown = known?.stat && sameMetadata(known.stat, metadata);
  if (isKnown && !mayHideChange(metadata.ctime_ms, context.takenAt))
    return { state: unchanged(known, metadata) };
  if (stat.size > scopeCeilings.max_file_bytes) return unreadable(file, known, 'too_large', metadata);
  const read = readStable({ workspace, path: file.path });
  if (read === 'missing') return lookedInVain(file, known);
  if (read !== 'permission') return judge(file, known, read);
  return unreadable(file, known, 'permission', metadata);
}

/** A name that is no UTF-8 was listed with a replacement character in it; what lies under it cannot be asked for. */
function lookedInVain(file: DeclaredFile, known: FileState | undefined): Seen {
  return file.path.includes('\ufffd')
    ? unreadable(file, known, 'not_utf8', null)
    : seenAs(file, known, { state: 'missing', sha256: null, stat: null });
}

function judge(file: DeclaredFile, known: FileState | undefined, { bytes, metadata }: StableRead): Seen {
  const digest = sha256(bytes);
  if (known?.state === 'text' && known.sha256 === digest) return { state: unchanged(known, metadata) };
  const reason = whyUnreadable(bytes);
  if (reason !== null) return unreadable(file, known, reason, metadata, digest);
  return {
    ...seenAs(file, known, { state: 'text', sha256: digest, stat: metadata }),
    text: keepBytes(bytes),
  };
}

function whyUnreadable(bytes: Buffer): UnreadableReason | null {
  if (bytes.includes(0)) return 'binary';
  return isUtf8(bytes) ? null : 'not_utf8';
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
    known.reason === reason &&
    (sha256 !== null || known.sha256 !== null ? known.sha256 === sha256 : isSameLook(known.stat, stat));
  if (known && same) return { state: unchanged(known, stat) };
  return seenAs(file, known, { state: 'unreadable', reason, sha256, stat });
}

/** Two looks that saw nothing at all saw no change either. */
const isSameLook = (a: FileStat | null, b: FileStat | null): boolean =>
  (a === null && b === null) || sameMetadata(a, b);

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
