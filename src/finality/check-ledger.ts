import { createHash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckLedger, checkLedgerSchema } from '../contract/check.ts';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { readJsonFile } from '../json/read-json-file.ts';
import { createFile, makeFolder } from '../store/durable-file.ts';
import { withLock } from '../store/lock.ts';
import { markWaiting } from './mark-waiting.ts';

const maxLedgerBytes = 64 * 1024 * 1024;
const maxAttempts = 50;

/** The ledger of one id as it stands. `revision` is 0 for one that was never written. */
export interface StoredLedger {
  readonly revision: number;
  readonly ledger: CheckLedger | null;
}

/** A change to a ledger: what to keep, and what to tell the caller once it is kept. */
export type LedgerChange<T> = (
  ledger: CheckLedger | null,
) => Result<{ ledger: CheckLedger; answer: T }, Failure>;

export const checkFolder = (stateDir: string): string => join(stateDir, 'check');

export const ledgerName = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32);

/** The newest ledger of an id. Fails with `ledger_unavailable` when it cannot be read or is damaged. */
export function readLedger(stateDir: string, id: string): Result<StoredLedger, Failure> {
  return readFolder(join(checkFolder(stateDir), ledgerName(id)));
}

/** Every ledger of a state, and the folders that hold a damaged one. */
export function readLedgers(stateDir: string): { ledgers: CheckLedger[]; damaged: string[] } {
  const ledgers: CheckLedger[] = [];
  const damaged: string[] = [];
  for (const name of foldersIn(checkFolder(stateDir))) {
    const stored = readFolder(join(checkFolder(stateDir), name));
    if (!stored.ok) damaged.push(name);
    else if (stored.value.ledger) ledgers.push(stored.value.ledger);
  }
  return { ledgers, damaged };
}

/**
 * Changes the ledger of an id: reads, decides, writes the next revision, durably, before it answers. One process at
 * a time holds the ledger's lock; that a revision is made by exactly one is secured by `link`, which refuses a second,
 * so a lock that was lost to a sleeping machine costs a retry and never a double grant.
 * Fails with `ledger_unavailable`, or with what `change` fails with.
 */
export async function changeLedger<T>(
  stateDir: string,
  id: string,
  change: LedgerChange<T>,
): Promise<Result<T, Failure>> {
  const name = ledgerName(id);
  const folder = join(checkFolder(stateDir), name);
  try {
    makeFolder(makeFolder(stateDir, 'check'), name);
    const held = await withLock(folder, () => {
      const changed = attempt({ state: stateDir, folder }, change);
      if (changed.ok) markWaiting(stateDir, name, changed.value.ledger);
      return changed;
    });
    if (!held.ok) return unavailable(folder, held.failure.detail);
    return held.value.ok ? ok(held.value.value.answer) : held.value;
  } catch (error) {
    return unavailable(folder, (error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
}

interface LedgerPlace {
  readonly state: string;
  readonly folder: string;
}

function attempt<T>(
  place: LedgerPlace,
  change: LedgerChange<T>,
): Result<{ ledger: CheckLedger; answer: T }, Failure> {
  for (let tries = 0; tries < maxAttempts; tries += 1) {
    const stored = readFolder(place.folder);
    if (!stored.ok) return stored;
    const changed = change(stored.value.ledger);
    if (!changed.ok) return changed;
    if (writeRevision(place, stored.value.revision + 1, changed.value.ledger)) return changed;
  }
  return unavailable(place.folder, 'too many others write it');
}

/** False when another process has written this revision, or a later one, meanwhile. */
function writeRevision({ state, folder }: LedgerPlace, revision: number, ledger: CheckLedger): boolean {
  if (!createFile({ state, folder, name: `${revision}.json` }, `${JSON.stringify(ledger)}\n`)) return false;
  const revisions = revisionsIn(folder);
  if (revisions.some((other) => other > revision)) {
    // Earlier revisions are removed, so `link` alone cannot tell an old number from a new one.
    rmSync(join(folder, `${revision}.json`), { force: true });
    return false;
  }
  for (const old of revisions) if (old < revision) rmSync(join(folder, `${old}.json`), { force: true });
  return true;
}

function readFolder(folder: string): Result<StoredLedger, Failure> {
  // A revision may be replaced between listing and reading: then the list is stale, not the ledger damaged.
  for (let tries = 0; ; tries += 1) {
    const revision = Math.max(0, ...revisionsIn(folder));
    if (revision === 0) return ok({ revision, ledger: null });
    const path = join(folder, `${revision}.json`);
    const read = readJsonFile(path, maxLedgerBytes);
    if (!read.ok && read.failure.reason === 'file_missing' && tries < maxAttempts) continue;
    if (!read.ok) return unavailable(path, read.failure.detail ?? read.failure.reason);
    const parsed = checkLedgerSchema.safeParse(read.value.value);
    if (!parsed.success) return unavailable(path, parsed.error.issues[0]?.path.join('.') ?? 'not a ledger');
    return ok({ revision, ledger: parsed.data });
  }
}

function revisionsIn(folder: string): number[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) =>
    /^[1-9]\d*\.json$/.test(name) ? [Number.parseInt(name, 10)] : [],
  );
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => /^[0-9a-f]{32}$/.test(name));
}

const unavailable = (file: string, detail: string): Result<never, Failure> =>
  fail({ reason: 'ledger_unavailable', file, detail });
