import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { acquireDrainLock } from '../spool/drain-lock.ts';
import { errorCode } from '../spool/spool-io.ts';
import { kindOfStateEntry } from '../spool/state-entries.ts';
import { type StateLayout, stateLayout } from '../spool/state-layout.ts';

/** What a state directory holds: names of drift's, and of anybody else's, which stay. */
export interface StateContent {
  readonly ours: readonly string[];
  readonly strangers: readonly string[];
}

/** Throws what the filesystem reports. */
export function readStateContent(state: string): StateContent {
  const names = readdirSync(state).sort();
  return {
    ours: names.filter((name) => kindOfStateEntry(name) !== null),
    strangers: names.filter((name) => kindOfStateEntry(name) === null),
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
