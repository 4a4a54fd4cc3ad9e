import { makePrivateFolder, syncFolder } from './durable-file.ts';
import { openForAppend } from './private-file.ts';
import { errorCode, nodeIo, type SpoolIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

/**
 * Counts what is no event. One byte is appended per occurrence, so a count survives any crash, needs no lock and
 * costs one `stat` to read. Durable, because a failed capture that is forgotten would lend its changes to the next turn.
 */
export function addToTally(io: SpoolIo, layout: StateLayout, reason: string): void {
  const fd = openTally(io, layout, reason);
  try {
    io.writeSync(fd, '.');
    io.fsyncSync(fd);
    if (io.fstatSync(fd).size === 1) syncFolder(io, layout.tally);
  } finally {
    io.closeSync(fd);
  }
}

function openTally(io: SpoolIo, layout: StateLayout, reason: string): number {
  const file = `${layout.tally}/${reason}`;
  try {
    return openForAppend(io, file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makePrivateFolder(io, layout.tally);
    return openForAppend(io, file);
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
      (name) => [name, io.statSync(`${layout.tally}/${name}`, { throwIfNoEntry: false })?.size ?? 0] as const,
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
