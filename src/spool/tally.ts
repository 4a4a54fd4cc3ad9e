import { join } from 'node:path';
import { nodeIo, type SpoolIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

/**
 * Counts what is no event. One byte is appended per occurrence, so a count survives any crash, needs no lock and
 * costs one `stat` to read.
 */
export function addToTally(io: SpoolIo, layout: StateLayout, reason: string): void {
  const fd = openTally(io, layout, reason);
  try {
    io.fchmodSync(fd, 0o600);
    io.writeSync(fd, '.');
  } finally {
    io.closeSync(fd);
  }
}

function openTally(io: SpoolIo, layout: StateLayout, reason: string): number {
  const file = join(layout.tally, reason);
  try {
    return io.openSync(file, 'a', 0o600);
  } catch {
    io.mkdirSync(layout.tally, { recursive: true, mode: 0o700 });
    return io.openSync(file, 'a', 0o600);
  }
}

/** The reason that counts a turn captured twice; every other one is a failed capture. */
export const duplicateTally = 'duplicate_event';

/** Every tally by reason. */
export function readTally(layout: StateLayout, io: SpoolIo = nodeIo): Record<string, number> {
  let names: string[];
  try {
    names = io.readdirSync(layout.tally);
  } catch {
    return {};
  }
  const entries = names
    .filter((name) => /^[a-z_]{1,80}$/.test(name))
    .map(
      (name) => [name, io.statSync(join(layout.tally, name), { throwIfNoEntry: false })?.size ?? 0] as const,
    );
  return Object.fromEntries(entries.filter(([, count]) => count > 0));
}

/** How many captures have failed so far. */
export function countFailures(tally: Readonly<Record<string, number>>): number {
  return Object.entries(tally).reduce(
    (sum, [reason, count]) => sum + (reason === duplicateTally ? 0 : count),
    0,
  );
}
