import { opendirSync } from 'node:fs';
import { join } from 'node:path';
import type { EventSummary } from '../contract/judged-event.ts';
import { readJsonFile } from '../json/read-json-file.ts';
import type { LoadedObserver } from '../observer/load-observer.ts';
import { normalizeReceipt } from '../sentinel/normalize-receipt.ts';
import { seenBefore } from '../spool/markers.ts';
import { nodeIo } from '../spool/spool-io.ts';

const MAX_NAMES_LOOKED_AT = 1_000;
const MAX_NAMED = 20;
const MAX_RECEIPT_BYTES = 65_536;

/** A file among the receipts that is none, or not a valid one; it is never counted. */
export interface RejectedReceipt {
  readonly file: string;
  readonly reason: string;
}

/**
 * Checks the receipts of the shown events, and every name in the folder that belongs to no event of this observer.
 * The look is bounded; `drift doctor` looks at all of them.
 */
export function findRejectedReceipts(
  loaded: LoadedObserver,
  shown: readonly EventSummary[],
): RejectedReceipt[] {
  const names = new Set([...strangerNames(loaded), ...shown.map(({ event_id }) => `${event_id}.json`)]);
  const rejected: RejectedReceipt[] = [];
  for (const file of names) {
    if (rejected.length >= MAX_NAMED) break;
    const reason = whyRejected(join(loaded.goal.receipts, file), file, loaded.observer.goal_id);
    if (reason !== null) rejected.push({ file, reason });
  }
  return rejected;
}

function strangerNames({ goal, layout }: LoadedObserver): string[] {
  const seen = seenBefore(nodeIo, layout);
  const names: string[] = [];
  try {
    const folder = opendirSync(goal.receipts);
    try {
      for (let i = 0; i < MAX_NAMES_LOOKED_AT; i += 1) {
        const entry = folder.readSync();
        if (entry === null) break;
        const [, id] = /^([0-9a-f]{64})\.json$/.exec(entry.name) ?? [];
        if (id === undefined || !seen.event(id)) names.push(entry.name);
      }
    } finally {
      folder.closeSync();
    }
  } catch {
    // No folder, no strangers.
  }
  return names;
}

function whyRejected(file: string, name: string, goalId: string): string | null {
  const read = readJsonFile(file, MAX_RECEIPT_BYTES);
  // A receipt that is not there yet is missing, which is not the same as rejected.
  if (!read.ok) return read.failure.reason === 'file_missing' ? null : read.failure.reason;
  const normal = normalizeReceipt({ receipt: read.value.value });
  if (!normal.ok) return `${normal.reason}${normal.field ? `:${normal.field}` : ''}`;
  const receipt = normal.receipt as unknown as { event_id: string; goal_id: string };
  if (`${receipt.event_id}.json` !== name) return 'event_id_differs_from_name';
  return receipt.goal_id === goalId ? null : 'goal_differs';
}
