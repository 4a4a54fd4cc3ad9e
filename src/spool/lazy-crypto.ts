import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Digests and random bytes for the hot path. `node:crypto` is loaded at the first call: that costs a seventh of Node's start,
 * and a wrapped command has to wait for none of it.
 */
type Hash = (bytes: string | Uint8Array) => string;

/** In one call: a `Hash` of Node's is a stream, and costs five times as much. */
function nodesHash(): Hash {
  const { hash } = process.getBuiltinModule('node:crypto');
  return (bytes) => hash('sha256', bytes, 'hex');
}

let makeHash = nodesHash;
let current: Hash | null = null;

/** SHA-256 in hexadecimal digits. */
export const sha256 = (bytes: string | Uint8Array): string => loadHash()(bytes);

/** To be called where there is time to spare: while a wrapped command runs. */
export function loadHash(): Hash {
  if (current === null) {
    try {
      current = makeHash();
    } catch {
      current = nodesHash();
    }
  }
  return current;
}

/** Has digests made in another way from the next one on. */
export function hashBy(make: () => Hash): void {
  makeHash = make;
  current = null;
}

const POOL_BYTES = 64;
let pool: Buffer | null = null;

/** Each byte once; a few are asked for at a time, because a refresh needs four small names. */
export function randomBytes(size: number): Buffer {
  if (pool === null || pool.length < size) pool = readRandom(Math.max(size, POOL_BYTES));
  const bytes = pool.subarray(0, size);
  pool = pool.subarray(size);
  return bytes;
}

/** From the kernel, which needs no module; from Node where the kernel has no such file. */
function readRandom(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  try {
    const descriptor = openSync('/dev/urandom', 'r');
    try {
      if (readSync(descriptor, bytes) === size) return bytes;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // No such file.
  }
  return process.getBuiltinModule('node:crypto').randomBytes(size);
}
