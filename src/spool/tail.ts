import { join } from 'node:path';
import type { SpoolIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

const MAX_WALK = 64;

/**
 * Sequence number of the newest entry, -1 when there is none. The head file is a hint only: the walk forward from it
 * finds what other writers added; a hint that is missing, wrong or far behind costs one listing of the newest shard.
 */
export function findTail(io: SpoolIo, layout: StateLayout): number {
  const hint = readHint(io, layout);
  if (hint !== null && exists(io, layout, hint)) {
    for (let n = hint; n < hint + MAX_WALK; n += 1) if (!exists(io, layout, n + 1)) return n;
  }
  return scanNewestShard(io, layout);
}

/** Leaves a hint for the next reader. Never trusted, so a failure to write it is no failure. */
export function leaveHint(io: SpoolIo, layout: StateLayout, sequence: number): void {
  try {
    const fd = io.openSync(layout.head, 'w', 0o600);
    try {
      io.fchmodSync(fd, 0o600);
      io.writeSync(fd, `${sequence}\n`);
    } finally {
      io.closeSync(fd);
    }
  } catch {
    // The next reader scans.
  }
}

function readHint(io: SpoolIo, layout: StateLayout): number | null {
  try {
    const fd = io.openSync(layout.head, 'r');
    try {
      const bytes = Buffer.alloc(32);
      const text = bytes.subarray(0, io.readSync(fd, bytes, 0, 32, 0)).toString('latin1');
      return /^\d{1,12}\n$/.test(text) ? Number(text) : null;
    } finally {
      io.closeSync(fd);
    }
  } catch {
    return null;
  }
}

const exists = (io: SpoolIo, layout: StateLayout, sequence: number): boolean =>
  io.statSync(layout.event(sequence), { throwIfNoEntry: false }) !== undefined;

function scanNewestShard(io: SpoolIo, layout: StateLayout): number {
  const shards = namesIn(io, layout.events, /^\d{8}$/).sort();
  for (const shard of shards.reverse()) {
    const numbers = namesIn(io, join(layout.events, shard), /^\d{12}\.json$/).map((name) =>
      Number(name.slice(0, 12)),
    );
    if (numbers.length > 0) return Math.max(...numbers);
  }
  return -1;
}

function namesIn(io: SpoolIo, folder: string, pattern: RegExp): string[] {
  try {
    return io.readdirSync(folder).filter((name) => pattern.test(name));
  } catch {
    return [];
  }
}
