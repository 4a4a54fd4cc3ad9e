import { scopeCeilings } from '../contract/config-keys.ts';
import type { TextPlace } from '../contract/event.ts';
import { type DecodedEvent, decodeEvent, type StoredEvent } from './event-format.ts';
import { sha256 } from './lazy-crypto.ts';
import { openForRead, readAt } from './private-file.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

const FIRST_READ = 65_536;
/** Far beyond what the most declared files can fill; a stranger of any size costs no more than this. */
const MAX_HEAD_BYTES = 33_554_432;

/** Reads the head of one entry, without its texts. Null: there is no such entry. */
export function readEvent(io: SpoolIo, layout: StateLayout, sequence: number): DecodedEvent | null {
  return readEventFile(io, layout.event(sequence), sequence);
}

/** The same for a file that is reached by a marker. */
export function readEventFile(io: SpoolIo, file: string, sequence: number | null): DecodedEvent | null {
  const bytes = readHeadOf(io, file);
  return Buffer.isBuffer(bytes) ? decodeEvent(bytes, sequence) : bytes;
}

function readHeadOf(io: SpoolIo, file: string): Buffer | typeof notRegular | null {
  let fd: number;
  try {
    fd = openForRead(io, file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (['ELOOP', 'ENXIO'].includes(errorCode(error) ?? '')) return notRegular;
    throw error;
  }
  try {
    return io.fstatSync(fd).isFile() ? readHead(io, fd) : notRegular;
  } finally {
    io.closeSync(fd);
  }
}

const notRegular = {
  ok: false,
  damage: 'not_regular',
  eventId: null,
  statedDigest: null,
  contentDigest: null,
} as const satisfies DecodedEvent;

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
  const decoded = Buffer.isBuffer(bytes) ? decodeEvent(bytes, sequence) : null;
  return Buffer.isBuffer(bytes) && decoded?.ok
    ? { head: bytes.subarray(0, decoded.stored.contentAt), stored: decoded.stored }
    : null;
}

/** Grows the read until the second line end is in it, or the file ends. */
function readHead(io: SpoolIo, fd: number): Buffer {
  let bytes = readAt(io, fd, 0, FIRST_READ);
  for (
    let length = FIRST_READ;
    bytes.length === length && length < MAX_HEAD_BYTES && secondLineEnd(bytes) < 0;
  ) {
    length *= 8;
    bytes = readAt(io, fd, 0, length);
  }
  return bytes;
}

const secondLineEnd = (bytes: Buffer): number => bytes.indexOf(0x0a, bytes.indexOf(0x0a) + 1);

/** The bytes of a text, or null where they are gone (retention) or do not have the digest that was recorded. */
export function readText(
  io: SpoolIo,
  layout: StateLayout,
  text: { readonly place: TextPlace; readonly size: number; readonly sha256: string },
): Buffer | null {
  if (text.size > scopeCeilings.max_file_bytes) return null;
  try {
    const fd = openForRead(io, layout.event(text.place.sequence));
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
