/** The part of stdout that is kept: enough for the JSON of a refresh. */
export const TAIL_BYTES = 65_536;

/** Keeps the end of a stream in constant memory. */
export interface OutputTail {
  push(chunk: Uint8Array): void;
  bytes(): Uint8Array;
  /** True when more was pushed than is kept. */
  isCut(): boolean;
}

export function createOutputTail(): OutputTail {
  const ring = Buffer.allocUnsafe(TAIL_BYTES);
  let total = 0;
  return {
    push(chunk) {
      const kept = chunk.subarray(-TAIL_BYTES);
      total += chunk.length - kept.length;
      const at = total % TAIL_BYTES;
      const head = kept.subarray(0, TAIL_BYTES - at);
      ring.set(head, at);
      ring.set(kept.subarray(head.length), 0);
      total += kept.length;
    },
    bytes() {
      if (total <= TAIL_BYTES) return ring.subarray(0, total);
      const at = total % TAIL_BYTES;
      return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
    },
    isCut: () => total > TAIL_BYTES,
  };
}
