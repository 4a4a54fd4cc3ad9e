import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { TAIL_BYTES } from './output-tail.ts';

/** Reads back what the command wrote to a regular file; the file itself is left as it is. */
export interface StdoutFile {
  /** Null when it cannot be told: the file cannot be read, was cut short, or there is no /proc. */
  read(): { readonly tail: Uint8Array; readonly isCut: boolean } | null;
}

/** Null when stdout is no regular file or may not be read. Call before the command starts. */
export function openStdoutFile(): StdoutFile | null {
  try {
    const { size } = fstatSync(1);
    if (!fstatSync(1).isFile()) return null;
    const reader = openSync('/proc/self/fd/1', constants.O_RDONLY);
    const { position, appends } = positionOfStdout();
    const start = appends ? size : position;
    return { read: () => readBetween(reader, start, positionOfStdout().position) };
  } catch {
    return null;
  }
}

function readBetween(
  reader: number,
  start: number,
  end: number,
): { tail: Uint8Array; isCut: boolean } | null {
  try {
    if (end < start) return null;
    const from = Math.max(start, end - TAIL_BYTES);
    const tail = Buffer.alloc(end - from);
    const bytes = readSync(reader, tail, 0, tail.length, from);
    return bytes === tail.length ? { tail, isCut: from > start } : null;
  } catch {
    return null;
  } finally {
    closeSync(reader);
  }
}

/** The offset is shared with the command, which moves it by writing. */
function positionOfStdout(): { readonly position: number; readonly appends: boolean } {
  const info = readFileSync('/proc/self/fdinfo/1', 'latin1');
  const field = (name: string): string => new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(info)?.[1] ?? '';
  return {
    position: Number(field('pos')),
    appends: (Number.parseInt(field('flags'), 8) & constants.O_APPEND) !== 0,
  };
}
