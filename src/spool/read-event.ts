import type { TextPlace } from '../contract/event.ts';
import { type DecodedEvent, decodeEvent, type StoredEvent, sha256 } from './event-format.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

const FIRST_READ = 65_536;

/** Reads the head of one entry, without its texts. Null: there is no such entry. */
export function readEvent(io: SpoolIo, layout: StateLayout, sequence: number): DecodedEvent | null {
  return readEventFile(io, layout.event(sequence), sequence);
}

/** The same for a file that is reached by a marker. */
export function readEventFile(io: SpoolIo, file: string, sequence: number | null): DecodedEvent | null {
  const bytes = readHeadOf(io, file);
  return bytes && decodeEvent(bytes, sequence);
}

function readHeadOf(io: SpoolIo, file: string): Buffer | null {
  let fd: number;
  try {
    fd = io.openSync(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    return readHead(io, fd);
  } finally {
    io.closeSync(fd);
  }
}

/**
 * The head of an entry as it stands in the file, line 1 and the JSON, which is what its digest speaks of. Null: there is
 * no such entry, or it does not decode.
 */
export function readEventHead(
  io: SpoolIo,
  layout: StateLayout,
  sequence: number,
): { readonly head: Buffer; readonly stored: StoredEvent } | null {
  const bytes = readHeadOf(io, layout.event(sequence));
  const decoded = bytes && decodeEvent(bytes, sequence);
  return bytes && decoded?.ok
    ? { head: bytes.subarray(0, decoded.stored.contentAt), stored: decoded.stored }
    : null;
}

/** Grows the read until the second line end is in it, or the file ends. */
function readHead(io: SpoolIo, fd: number): Buffer {
  let bytes = readAt(io, fd, 0, FIRST_READ);
  for (let length = FIRST_READ; bytes.length === length && secondLineEnd(bytes) < 0; ) {
    length *= 4;
    bytes = readAt(io, fd, 0, length);
  }
  return bytes;
}

const secondLineEnd = (bytes: Buffer): number => bytes.indexOf(0x0a, bytes.indexOf(0x0a) + 1);

function readAt(io: SpoolIo, fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const count = io.readSync(fd, bytes, at, length - at, offset + at);
    if (count === 0) break;
    at += count;
  }
  return bytes.subarray(0, at);
}

/** The bytes of a text, or null where they are gone (retention) or do not have the digest that was recorded. */
export function readText(
  io: SpoolIo,
  layout: StateLayout,
  text: { readonly place: TextPlace; readonly size: number; readonly sha256: string },
): Buffer | null {
  try {
    const fd = io.openSync(layout.event(text.place.sequence), 'r');
    try {
      const bytes = readAt(io, fd, text.place.offset, text.size);
      return bytes.length === text.size && sha256(bytes) === text.sha256 ? bytes : null;
    } finally {
      io.closeSync(fd);
    }
  } catch {
    return null;
  }
}
