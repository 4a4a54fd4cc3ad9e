import { lstatSync, opendirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FailureReason } from '../contract/failure.ts';
import type { NormalizedReceipt, ReceiptFault } from '../contract/receipt.ts';
import { readJsonFile } from '../json/read-json-file.ts';
import { normalizeReceipt } from '../sentinel/normalize-receipt.ts';
import { sortReceiptsNewestFirst } from '../sentinel/receipt-order.ts';

const SUFFIX = '.json';
const MAX_RECEIPT_BYTES = 65_536;
/** How many receipts of unknown origin are kept, the newest (contract §5). */
const FOREIGN_KEPT = 256;
/** How many are read to find those. */
const FOREIGN_READ = 4_096;
/** How many names of a folder that nobody else writes to are looked at for strangers. */
const OWN_FOLDER_LOOK = 1_024;

/** Why a file in the folder is no receipt of this goal. */
export interface RejectedReceipt {
  readonly file: string;
  readonly reason: ReceiptFault | FailureReason | 'goal_mismatch' | 'event_mismatch';
  readonly field?: string;
}

/** What a goal's receipt folder holds, as far as anybody asks. */
export interface ReceiptStore {
  /** `missing`: nothing was loaded, though there may be rejected files. `unavailable`: the folder cannot be read. */
  readonly read_state: 'observed' | 'missing' | 'unavailable';
  /** Newest first by the full order key. */
  readonly receipts: readonly NormalizedReceipt[];
  readonly rejected: readonly RejectedReceipt[];
  /** Files that were not read because there are too many. */
  readonly unread: number;
}

export interface ReceiptQuery {
  readonly folder: string;
  readonly goalId: string;
  /** Events whose receipts are wanted whatever their age. */
  readonly wanted: readonly string[];
  /** False only for a folder inside the observer's own state, where nobody else writes. */
  readonly shared?: boolean;
  /** Which of these events this observer captured itself: their receipts are read only where wanted. */
  readonly captured?: (eventIds: readonly string[]) => ReadonlySet<string>;
}

/**
 * Reads receipts strictly (contract §5, design §8): every wanted one, and the newest 256 that nobody here captured,
 * cut after sorting. Nothing is followed, waited for or read past its limit; a file that is no receipt is named with
 * its reason and never counted.
 */
export function readReceipts({
  folder,
  goalId,
  wanted,
  shared = true,
  captured,
}: ReceiptQuery): ReceiptStore {
  const listed = listFolder(folder, shared);
  if (listed === null) return { read_state: 'unavailable', receipts: [], rejected: [], unread: 0 };
  const wantedNames = new Set(wanted.map((id) => `${id}.json`));
  const foreign = foreignNames(listed, wantedNames, captured);
  const own = readAll(folder, [...wantedNames], goalId);
  const others = readAll(folder, newestFiles(folder, foreign), goalId);
  const kept = sortReceiptsNewestFirst(others.receipts).slice(0, FOREIGN_KEPT);
  const receipts = sortReceiptsNewestFirst([...own.receipts, ...kept]);
  return {
    read_state: receipts.length > 0 ? 'observed' : 'missing',
    receipts,
    rejected: [...own.rejected, ...others.rejected],
    unread: Math.max(0, foreign.length - FOREIGN_READ),
  };
}

/**
 * The names in the folder; null when it cannot be read. Where nobody else writes, a long list is not read to its end:
 * strangers there are a curiosity, and the wanted receipts are found by name.
 */
function listFolder(folder: string, shared: boolean): string[] | null {
  try {
    const names = shared ? readdirSync(folder) : firstNames(folder);
    return names.filter((name) => name.endsWith(SUFFIX));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : null;
  }
}

function firstNames(folder: string): string[] {
  const names: string[] = [];
  const open = opendirSync(folder);
  try {
    for (
      let entry = open.readSync();
      entry !== null && names.length < OWN_FOLDER_LOOK;
      entry = open.readSync()
    )
      names.push(entry.name);
    return names;
  } finally {
    open.closeSync();
  }
}

function foreignNames(
  names: readonly string[],
  wanted: ReadonlySet<string>,
  captured: ReceiptQuery['captured'],
): string[] {
  const rest = names.filter((name) => !wanted.has(name));
  if (rest.length <= FOREIGN_KEPT || !captured) return rest;
  const idOf = (name: string): string => name.slice(0, -SUFFIX.length);
  const own = captured(rest.map(idOf));
  return rest.filter((name) => !own.has(idOf(name)));
}

/** At most as many as are read; of more, those written last, because sorting by receipt would need every one. */
function newestFiles(folder: string, names: readonly string[]): readonly string[] {
  if (names.length <= FOREIGN_READ) return names;
  const writtenAt = (name: string): number =>
    lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return names
    .map((name) => ({ name, at: writtenAt(name) }))
    .sort((a, b) => b.at - a.at)
    .slice(0, FOREIGN_READ)
    .map(({ name }) => name);
}

interface ReadAll {
  readonly receipts: NormalizedReceipt[];
  readonly rejected: RejectedReceipt[];
}

function readAll(folder: string, names: readonly string[], goalId: string): ReadAll {
  const receipts: NormalizedReceipt[] = [];
  const rejected: RejectedReceipt[] = [];
  for (const name of names) {
    const read = readReceipt(join(folder, name), goalId);
    if (read === null) continue;
    if ('reason' in read) rejected.push(read);
    else receipts.push(read.receipt);
  }
  return { receipts, rejected };
}

/** Null: the file has gone since it was listed. */
function readReceipt(file: string, goalId: string): { receipt: NormalizedReceipt } | RejectedReceipt | null {
  const json = readJsonFile(file, MAX_RECEIPT_BYTES);
  if (!json.ok) {
    const { reason, field } = json.failure;
    return reason === 'file_missing' ? null : { file, reason, ...(field ? { field } : {}) };
  }
  const read = normalizeReceipt({ receipt: json.value.value });
  if (!read.ok) return { file, reason: read.reason, field: read.field };
  if (read.receipt.goal_id !== goalId) return { file, reason: 'goal_mismatch', field: 'goal_id' };
  if (`${read.receipt.event_id}.json` !== basename(file))
    return { file, reason: 'event_mismatch', field: 'event_id' };
  return { receipt: read.receipt };
}
