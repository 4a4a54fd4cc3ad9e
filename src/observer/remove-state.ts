import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { acquireDrainLock } from '../spool/drain-lock.ts';
import { errorCode } from '../spool/spool-io.ts';
import { type StateLayout, stateLayout } from '../spool/state-layout.ts';

/** What a state directory holds: names of drift's, and of anybody else's, which stay. */
export interface StateContent {
  readonly ours: readonly string[];
  readonly strangers: readonly string[];
}

/** Folders of the rooms that need no observer, of archived observers, and of the private runtime. */
const FOLDERS = ['archive', 'check', 'gate', 'hook', 'runtime'];

/** Throws what the filesystem reports. */
export function readStateContent(state: string): StateContent {
  const layout = stateLayout(state);
  const places = Object.values(layout).filter((place) => typeof place === 'string');
  const known = new Set([...places.map((place) => basename(place)), ...FOLDERS, 'diagnostics.log.1']);
  const names = readdirSync(state).sort();
  return {
    ours: names.filter((name) => known.has(name)),
    strangers: names.filter((name) => !known.has(name)),
  };
}

/**
 * Removes what drift keeps in a state directory, and the directory when nothing else is in it, unless `first` fails. The
 * binding goes before the rest, so that a refresh at the same time only passes through; `.gitignore` goes last.
 * Reasons: state_busy while a drain is at work, those of `first`, write_failed.
 */
export async function removeState(
  state: string,
  first: () => Promise<Result<unknown, Failure>>,
): Promise<Result<null, Failure>> {
  const layout = stateLayout(state);
  try {
    const lock = await acquireDrainLock(state, layout);
    if (lock === null) return fail({ reason: 'state_busy', file: layout.drainLock });
    const done = await first();
    const strangers = done.ok ? removeEntries(state, layout) : [];
    await lock.release();
    if (!done.ok) return done;
    rmSync(layout.ignore, { force: true });
    if (strangers.length === 0) rmdirSync(state);
    return ok(null);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return fail({ reason: 'write_failed', file: state, detail: code });
  }
}

function removeEntries(state: string, { observer, ignore, drainLock }: StateLayout): readonly string[] {
  const { ours, strangers } = readStateContent(state);
  rmSync(observer, { force: true });
  for (const place of ours.map((name) => join(state, name)))
    if (place !== ignore && place !== drainLock) rmSync(place, { recursive: true, force: true });
  return strangers;
}
