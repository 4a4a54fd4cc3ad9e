import { join } from 'node:path';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { removeQuietly } from '../spool/durable-file.ts';
import { ageOf, readFileClock } from '../spool/file-clock.ts';
import type { SpoolIo } from '../spool/spool-io.ts';

const ABANDONED_MS = 3_600_000;
const MAX_REMOVED = 1_000;
const MAX_LOOKED_AT = 10_000;

/**
 * Removes what killed writers left in the staging folders: an hour older than a file made now, so that the clock of
 * the files decides and no jump of ours. Bounded per pass. A stranger that cannot be removed is left to `doctor`.
 */
export function sweepStaging(
  io: SpoolIo,
  { layout, goal }: Pick<LoadedObserver, 'layout' | 'goal'>,
  maxRemoved = MAX_REMOVED,
): void {
  for (const folder of [layout.staging, goal.staging])
    try {
      sweep(io, folder, maxRemoved);
    } catch {
      // Sweeping is a courtesy; the next drain tries again.
    }
}

function sweep(io: SpoolIo, folder: string, maxRemoved: number): void {
  const names = io.readdirSync(folder);
  if (names.length === 0) return;
  const clock = readFileClock(io, folder);
  const abandoned = names
    .slice(0, MAX_LOOKED_AT)
    .filter((name) => ageOf(io, folder, name, clock) > ABANDONED_MS);
  for (const name of abandoned.slice(0, maxRemoved)) removeQuietly(io, join(folder, name));
}
