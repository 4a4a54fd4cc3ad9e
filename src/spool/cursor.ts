import { sha256 } from './event-format.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

const SLOT_BYTES = 64;
const SLOT = /^(\d{20}) ([0-9a-f]{42})\n$/;

/**
 * The last sequence number that drain has finished, -1 at the start. Two fixed slots, written in turn and in place, so
 * that a cut leaves one of them whole and a full disk cannot stop the cursor. Null: neither slot is valid.
 */
export function readCursor(io: SpoolIo, layout: StateLayout): number | null {
  let fd: number;
  try {
    fd = io.openSync(layout.cursor, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const slots = [0, 1].map((slot) => parseSlot(readSlot(io, fd, slot)));
    const valid = slots.filter((next) => next !== null);
    return valid.length === 0 ? null : Math.max(...valid) - 1;
  } finally {
    io.closeSync(fd);
  }
}

/** Moves the cursor, durably. */
export function writeCursor(io: SpoolIo, layout: StateLayout, sequence: number): void {
  const next = sequence + 1;
  const number = String(next).padStart(20, '0');
  const bytes = Buffer.from(`${number} ${sha256(number).slice(0, 42)}\n`);
  const fd = openCursor(io, layout);
  try {
    const current = [0, 1].map((slot) => parseSlot(readSlot(io, fd, slot)) ?? -1);
    const slot = (current[0] ?? -1) <= (current[1] ?? -1) ? 0 : 1;
    io.writeSync(fd, bytes, 0, SLOT_BYTES, slot * SLOT_BYTES);
    io.fsyncSync(fd);
  } finally {
    io.closeSync(fd);
  }
}

function openCursor(io: SpoolIo, layout: StateLayout): number {
  try {
    return io.openSync(layout.cursor, 'r+');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const fd = io.openSync(layout.cursor, 'wx+', 0o600);
    io.fchmodSync(fd, 0o600);
    io.writeSync(fd, Buffer.alloc(2 * SLOT_BYTES, ' '), 0, 2 * SLOT_BYTES, 0);
    return fd;
  }
}

function readSlot(io: SpoolIo, fd: number, slot: number): string {
  const bytes = Buffer.alloc(SLOT_BYTES);
  return bytes.subarray(0, io.readSync(fd, bytes, 0, SLOT_BYTES, slot * SLOT_BYTES)).toString('latin1');
}

function parseSlot(text: string): number | null {
  const [, number, digest] = SLOT.exec(text) ?? [];
  return number !== undefined && sha256(number).slice(0, 42) === digest ? Number(number) : null;
}
