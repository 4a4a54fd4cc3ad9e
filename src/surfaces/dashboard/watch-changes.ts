import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readGoalPolicy, type Where } from '../../goal/goal-review.ts';
import type { LoadedObserver } from '../../observer/load-observer.ts';

const LOOK_EVERY_MS = 500;

/** Yields once whenever a file behind a goal has changed, until aborted. Looks at metadata only. */
export async function* watchChanges(
  listFiles: () => readonly string[],
  signal: AbortSignal,
): AsyncGenerator<void> {
  let before = fingerprint(listFiles());
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const now = fingerprint(listFiles());
    if (now !== before) yield;
    before = now;
  }
}

const fingerprint = (files: readonly string[]): string => files.map(tokenOf).join('\n');

function tokenOf(file: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${file} ${mtimeMs} ${size} ${ino}`;
  } catch {
    return `${file} -`;
  }
}

/** The files that say something new of a goal: of one that is off, only those that could switch it on. */
export function filesBehind(loaded: LoadedObserver, where: Where): string[] {
  const { layout, goal, configFile, observer } = loaded;
  const { policy, place } = readGoalPolicy(loaded, where);
  const settings = [layout.observer, configFile, observer.basis_file, place.file];
  if (policy.mode === 'off' || loaded.config.mode === 'off') return settings;
  return [
    ...settings,
    layout.head,
    layout.aggregate,
    layout.drainState,
    layout.lastRefresh,
    layout.labels,
    goal.index,
    goal.receipts,
  ];
}
