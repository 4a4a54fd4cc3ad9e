import { closeSync, openSync, readSync } from 'node:fs';

/**
 * The first bytes of a file, at most `maxBytes` in one read. For the hot path: the first call of `readFileSync` alone
 * costs a fortieth of Node's start.
 */
export function readStart(file: string, maxBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(maxBytes);
  const descriptor = openSync(file, 'r');
  try {
    return buffer.subarray(0, readSync(descriptor, buffer));
  } finally {
    closeSync(descriptor);
  }
}
