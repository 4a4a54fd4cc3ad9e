import { join } from 'node:path';
import type { DriftEvent, FileState, TextPlace } from '../contract/event.ts';
import { removeQuietly } from './durable-file.ts';
import type { StoredEvent } from './event-format.ts';
import { openForUpdate, readAt, writeAllAt } from './private-file.ts';
import { readEvent } from './read-event.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';
import { fileNameOf, type StateLayout } from './state-layout.ts';

const CHUNK_BYTES = 65_536;

/** What dropping the texts of one entry came to. */
export interface Dropped {
  /** Bytes of text that are not there any more. */
  readonly bytes: number;
  /** Paths whose text stays, because a later checkpoint names it. */
  readonly kept: readonly string[];
}

/** The places of texts, by entry and offset. */
export type NamedTexts = ReadonlySet<string>;

const keyOf = ({ sequence, offset }: TextPlace): string => `${sequence}:${offset}`;

/**
 * The texts that a checkpoint names. Whatever is captured after it names only these and texts of its own, so they are
 * all that a later entry can need of what lies at or before it.
 */
export const textsNamedBy = ({ files }: DriftEvent): NamedTexts =>
  new Set(files.flatMap(({ text }) => (text ? [keyOf(text)] : [])));

/**
 * Drops the raw text that an entry carries, durably, and the copy that was kept of it if it is damaged. What `named`
 * holds stays. The head stays as it is, and with it the entry's digest and its place in the chain. Done again, it
 * changes nothing. Throws what the filesystem reports.
 */
export function dropTexts(io: SpoolIo, layout: StateLayout, sequence: number, named: NamedTexts): Dropped {
  const decoded = readEvent(io, layout, sequence);
  if (decoded === null) return { bytes: 0, kept: [] };
  if (decoded.ok) return dropOwn(io, layout, decoded.stored, named);
  removeQuietly(io, join(layout.dead, fileNameOf(sequence)));
  // Where a damaged entry's text begins nobody can tell; its id is known by its marker.
  return { bytes: decoded.damage === 'not_regular' ? 0 : cut(io, layout.event(sequence), 0), kept: [] };
}

interface OwnText {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly isNamed: boolean;
}

function dropOwn(
  io: SpoolIo,
  layout: StateLayout,
  { event, contentAt }: StoredEvent,
  named: NamedTexts,
): Dropped {
  const own = event.files.flatMap((file) => ownText(file, event.sequence, named));
  const kept = own.filter(({ isNamed }) => isNamed);
  const end = Math.max(contentAt, ...kept.map(({ to }) => to));
  const file = layout.event(event.sequence);
  const blanked = own
    .filter(({ isNamed, to }) => !isNamed && to <= end)
    .reduce((sum, text) => sum + blank(io, file, text), 0);
  return { bytes: blanked + cut(io, file, end), kept: kept.map(({ path }) => path) };
}

function ownText({ path, text, stat }: FileState, sequence: number, named: NamedTexts): OwnText[] {
  if (text?.sequence !== sequence) return [];
  const { offset } = text;
  return [{ path, from: offset, to: offset + (stat?.size ?? 0), isNamed: named.has(keyOf(text)) }];
}

/** Gives back by how much the file was longer. */
function cut(io: SpoolIo, file: string, end: number): number {
  return withFile(io, file, (fd) => {
    const { size } = io.fstatSync(fd);
    if (size <= end) return 0;
    io.ftruncateSync(fd, end);
    io.fsyncSync(fd);
    return size - end;
  });
}

/** Overwrites a text that others lie behind with zeros, unless it holds nothing else already. */
function blank(io: SpoolIo, file: string, { from, to }: OwnText): number {
  return withFile(io, file, (fd) => {
    let overwritten = 0;
    for (let at = from; at < to; at += CHUNK_BYTES) {
      const bytes = readAt(io, fd, at, Math.min(CHUNK_BYTES, to - at));
      if (bytes.every((byte) => byte === 0)) continue;
      writeAllAt(io, fd, Buffer.alloc(bytes.length), at);
      overwritten += bytes.length;
    }
    if (overwritten > 0) io.fsyncSync(fd);
    return overwritten;
  });
}

function withFile(io: SpoolIo, file: string, work: (fd: number) => number): number {
  let fd: number;
  try {
    fd = openForUpdate(io, file);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'ENXIO', 'EISDIR'].includes(errorCode(error) ?? '')) return 0;
    throw error;
  }
  try {
    return io.fstatSync(fd).isFile() ? work(fd) : 0;
  } finally {
    io.closeSync(fd);
  }
}
