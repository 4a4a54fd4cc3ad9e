import { opendirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedObserver } from '../observer/load-observer.ts';

const ABANDONED_MS = 3_600_000;
const MAX_SWEPT = 1_000;

/**
 * Removes what killed writers left in the staging folders: an hour older than a file touched now, so that the clock of
 * the files decides and no jump of ours. Bounded per pass.
 */
export function sweepStaging({ layout, goal }: Pick<LoadedObserver, 'layout' | 'goal'>): void {
  for (const folder of [layout.staging, goal.staging]) sweep(folder);
}

function sweep(folder: string): void {
  try {
    const now = touch(join(folder, '.clock'));
    const entries = opendirSync(folder);
    try {
      for (let i = 0; i < MAX_SWEPT; i += 1) {
        const entry = entries.readSync();
        if (entry === null) break;
        const file = join(folder, entry.name);
        if (now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) > ABANDONED_MS)
          rmSync(file, { force: true });
      }
    } finally {
      entries.closeSync();
    }
  } catch {
    // Sweeping is a courtesy; the next drain tries again.
  }
}

function touch(file: string): number {
  writeFileSync(file, '', { mode: 0o600 });
  const { mtimeMs } = statSync(file);
  rmSync(file, { force: true });
  return mtimeMs;
}
