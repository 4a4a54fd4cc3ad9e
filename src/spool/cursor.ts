import { dirname } from 'node:path';
import { syncFolder } from './durable-file.ts';
import { sha256 } from './lazy-crypto.ts';
import { createInPlace, openForUpdate, readAt, readPrivateFile } from './private-file.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

const SLOT_BYTES = 64;
const DIGEST_DIGITS = 21;
const SLOT = /^(\d{20}) ([0-9a-f]{21})([0-9a-f]{21})\n$/;

/** How far drain has come: the last entry that it has finished, and the beginning of that entry's digest. */
export interface Position {
  /** -1 at the start. */
  readonly sequence: number;
  /** Zeros at the start and for an entry whose digest is not known. */
  readonly digest: string;
}

/** The beginning of a digest as a position holds it. */
export const positionDigest = (digest: string | null): string =>
  (digest ?? '').slice(0, DIGEST_DIGITS).padEnd(DIGEST_DIGITS, '0');

/** The last sequence number that drain has finished, -1 at the start; see {@link readPosition}. */
export const readCursor = (io: SpoolIo, layout: Pick<StateLayout, 'cursor'>): number | null =>
  readPosition(io, layout)?.sequence ?? null;

/**
 * Reads the cursor. Two fixed slots, written in turn and in place, so that a cut leaves one of them whole and a full
 * disk cannot stop the cursor. Null: there is none, or neither slot is valid.
 */
export function readPosition(io: SpoolIo, { cursor }: Pick<StateLayout, 'cursor'>): Position | null {
  const bytes = readPrivateFile(io, cursor, 2 * SLOT_BYTES);
  return bytes === null ? null : newestOf(bytes);
}

function newestOf(bytes: Buffer): Position | null {
  const [first, second] = [parseSlot(bytes, 0), parseSlot(bytes, 1)];
  if (first === null || second === null) return first ?? second;
  return first.sequence > second.sequence ? first : second;
}

/** Moves the cursor, durably. Overwrites the older slot, never the one that is in force. */
export function writeCursor(
  io: SpoolIo,
  { cursor }: Pick<StateLayout, 'cursor'>,
  sequence: number,
  digest: string | null = null,
): void {
  const position = { sequence, digest: positionDigest(digest) };
  const fd = openCursor(io, cursor);
  try {
    const bytes = readAt(io, fd, 0, 2 * SLOT_BYTES);
    const inForce = newestOf(bytes);
    const slot = inForce !== null && parseSlot(bytes, 0)?.sequence === inForce.sequence ? 1 : 0;
    writeSlot(io, fd, slot, position);
    // Only the owner may ask to go back; then the slot that was in force must not outvote this one.
    if (inForce !== null && inForce.sequence > sequence) writeSlot(io, fd, 1 - slot, position);
  } finally {
    io.closeSync(fd);
  }
}

function openCursor(io: SpoolIo, cursor: string): number {
  try {
    return openForUpdate(io, cursor);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const fd = createInPlace(io, cursor, Buffer.alloc(2 * SLOT_BYTES, ' '));
    try {
      syncFolder(io, dirname(cursor));
      return fd;
    } catch (failure) {
      io.closeSync(fd);
      throw failure;
    }
  }
}

function writeSlot(io: SpoolIo, fd: number, slot: number, { sequence, digest }: Position): void {
  const text = `${String(sequence + 1).padStart(20, '0')} ${digest}`;
  const bytes = Buffer.from(`${text}${checkOf(text)}\n`);
  const at = slot * SLOT_BYTES;
  const written = io.writeSync(fd, bytes, 0, SLOT_BYTES, at);
  if (written < SLOT_BYTES) io.writeSync(fd, bytes, written, SLOT_BYTES - written, at + written);
  io.fsyncSync(fd);
}

const checkOf = (text: string): string => sha256(text).slice(0, DIGEST_DIGITS);

function parseSlot(bytes: Buffer, slot: number): Position | null {
  const text = bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES).toString('latin1');
  const [, number = '', digest = '', check] = SLOT.exec(text) ?? [];
  return check === checkOf(`${number} ${digest}`) ? { sequence: Number(number) - 1, digest } : null;
}
