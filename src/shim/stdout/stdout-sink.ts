import { closeSync, constants, openSync, write, writeSync } from 'node:fs';

/** Drift's own way to the caller's stdout. */
export interface StdoutSink {
  /**
   * Writes all of the chunk and calls back once, at once where the reader keeps up. The chunk must not change
   * meanwhile. True: the reader is there.
   */
  write(chunk: Uint8Array, done: (isAlive: boolean) => void): void;
  close(): void;
}

/**
 * Never touches the flags of descriptor 1, which other processes share. A pipe is opened a second time: without
 * waiting, which spares a thread for every chunk; where that would block, a thread of Node's pool waits, so that
 * drift goes on to forward signals.
 */
export function openStdoutSink({
  isPipe,
  isNonBlocking,
}: {
  isPipe: boolean;
  isNonBlocking: boolean;
}): StdoutSink {
  const eager = isPipe ? reopen(constants.O_NONBLOCK) : null;
  const patient = (isNonBlocking ? reopen(0) : null) ?? 1;
  const writeRest = (chunk: Uint8Array, done: (isAlive: boolean) => void): void => {
    write(patient, chunk, (error, bytes) => {
      if (error || bytes === chunk.length) done(!error);
      else writeRest(chunk.subarray(bytes), done);
    });
  };
  return {
    write(chunk, done) {
      const written = eager === null ? 0 : writeEagerly(eager, chunk);
      if (written === null || written === chunk.length) done(written !== null);
      else writeRest(chunk.subarray(written), done);
    },
    close() {
      for (const descriptor of new Set([eager, patient]))
        if (descriptor !== null && descriptor > 2) closeSync(descriptor);
    },
  };
}

/** How many bytes the pipe took; null when nobody reads it any more. */
function writeEagerly(descriptor: number, chunk: Uint8Array): number | null {
  let written = 0;
  try {
    while (written < chunk.length) written += writeSync(descriptor, chunk, written);
    return written;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? written : null;
  }
}

function reopen(flags: number): number | null {
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | flags);
  } catch {
    return null;
  }
}
