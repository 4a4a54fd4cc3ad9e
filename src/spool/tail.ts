import { constants } from 'node:fs';
import { join } from 'node:path';
import { readPrivateFile } from './private-file.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';
import { type StateLayout, shardOf } from './state-layout.ts';

const MAX_WALK = 64;
const MAX_HINT_BYTES = 32;
const HINT_DIGITS = 12;

/**
 * Sequence number of the newest entry, -1 when there is none. The head file is a hint only: the walk forward from it
 * finds what other writers added; a hint that is missing, wrong or far behind costs one listing of the newest shard.
 */
export function findTail(io: SpoolIo, layout: StateLayout): number {
  const hint = readHint(io, layout);
  if (hint !== null && hasEntry(io, layout, hint)) {
    for (let n = hint; n < hint + MAX_WALK; n += 1) if (!hasEntry(io, layout, n + 1)) return n;
  }
  return scanNewestShard(io, layout);
}

/** Leaves a hint for the next reader. Never trusted, so a failure to write it is no failure. */
export function leaveHint(io: SpoolIo, layout: StateLayout, sequence: number): void {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const fd = io.openSync(layout.head, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    try {
      io.fchmodSync(fd, 0o600);
      // Always of one length, so that nothing has to be cut off: ext4 takes a file that was cut for one to be put to disk.
      const bytes = io.writeSync(fd, `${String(sequence).padStart(HINT_DIGITS, '0')}\n`);
      // What somebody else left behind it would make it no hint.
      if (io.fstatSync(fd).size > bytes) io.ftruncateSync(fd, bytes);
    } finally {
      io.closeSync(fd);
    }
  } catch {
    // The next reader scans.
  }
}

function readHint(io: SpoolIo, layout: StateLayout): number | null {
  try {
    const text = readPrivateFile(io, layout.head, MAX_HINT_BYTES)?.toString('latin1') ?? '';
    return /^\d{1,12}\n$/.test(text) ? Number(text) : null;
  } catch {
    return null;
  }
}

/** Whether a sequence number is taken. Whatever has the name takes it, because `link(2)` refuses it. */
export const hasEntry = (io: SpoolIo, layout: StateLayout, sequence: number): boolean =>
  io.lstatSync(layout.event(sequence), { throwIfNoEntry: false }) !== undefined;

function scanNewestShard(io: SpoolIo, layout: StateLayout): number {
  const shards = namesIn(io, layout.events).filter((name) => /^\d{8}$/.test(name));
  for (const shard of shards.sort().reverse()) {
    const newest = Math.max(-1, ...listShard(io, layout, shard));
    if (newest >= 0) return newest;
  }
  return -1;
}

/** The sequence numbers that lie in a shard; names that do not belong there are strangers. */
export function listShard(io: SpoolIo, layout: StateLayout, shard: string): number[] {
  return namesIn(io, join(layout.events, shard))
    .filter((name) => /^\d{12}\.json$/.test(name))
    .map((name) => Number(name.slice(0, 12)))
    .filter((sequence) => shardOf(sequence) === shard);
}

/** A folder that cannot be listed is not an empty one: only one that is missing, or no folder, holds nothing. */
function namesIn(io: SpoolIo, folder: string): string[] {
  try {
    return io.readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}
