import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { readDescriptorInfo } from '../command/descriptor-info.ts';
import { TAIL_BYTES } from './output-tail.ts';

/** Reads back what the command wrote to a regular file; the file itself is left as it is. */
export interface StdoutFile {
  /** Null when it cannot be told: the file cannot be read, was cut short, or there is no /proc. */
  read(): { readonly tail: Uint8Array; readonly isCut: boolean } | null;
}

/** Null when stdout is no regular file or may not be read. Call before the command starts. */
export function openStdoutFile(): StdoutFile | null {
  try {
    const stat = fstatSync(1);
    const before = readDescriptorInfo(1);
    if (!stat.isFile() || before === null) return null;
    const reader = openSync('/proc/self/fd/1', constants.O_RDONLY);
    const start = before.flags & constants.O_APPEND ? stat.size : before.position;
    // The offset is shared with the command, which moves it by writing.
    return { read: () => readBetween(reader, start, readDescriptorInfo(1)?.position ?? -1) };
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
