import { join } from 'node:path';
import { removeQuietly, stageFile, syncFolder } from './durable-file.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';
import { type StateLayout, shardOf } from './state-layout.ts';

/**
 * The private journal: a result is durable here before it is published. The name holds the digest of the event, so
 * that an event which took the number of one lost to a power cut is never taken for judged.
 */
function journalFile(layout: StateLayout, sequence: number, digest: string): string {
  return join(
    layout.journal,
    shardOf(sequence),
    `${String(sequence).padStart(12, '0')}-${digest.slice(0, 8)}.json`,
  );
}

/** The journalled result of an event; null when it has none. */
export function readJournal(
  io: SpoolIo,
  layout: StateLayout,
  sequence: number,
  digest: string,
): Buffer | null {
  let fd: number;
  try {
    fd = io.openSync(journalFile(layout, sequence, digest), 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(io.fstatSync(fd).size);
    return bytes.subarray(0, io.readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    io.closeSync(fd);
  }
}

/** Makes a result durable and gives back the bytes that stand: those of another drainer if it was first. */
export function writeJournal(
  io: SpoolIo,
  layout: StateLayout,
  entry: { readonly sequence: number; readonly digest: string; readonly bytes: Buffer },
): Buffer {
  const file = journalFile(layout, entry.sequence, entry.digest);
  const folder = join(layout.journal, shardOf(entry.sequence));
  io.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const staged = stageFile(io, layout.staging, [entry.bytes]);
  try {
    io.linkSync(staged, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return readJournal(io, layout, entry.sequence, entry.digest) ?? entry.bytes;
  } finally {
    removeQuietly(io, staged);
  }
  syncFolder(io, folder);
  return entry.bytes;
}
