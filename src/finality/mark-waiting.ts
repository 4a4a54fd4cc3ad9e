import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckLedger } from '../contract/check.ts';
import { syncFolder } from '../spool/durable-file.ts';
import { nodeIo } from '../spool/spool-io.ts';
import { waitingFolder } from '../spool/waiting.ts';
import { makeFolder, writeFileDurably } from '../store/durable-file.ts';

/**
 * Brings the mark of one entry in line with its ledger, durably. Called after the ledger is durable and under its
 * lock; a crash in between leaves the mark of the call before, which the entry's next call mends.
 */
export function markWaiting(stateDir: string, name: string, ledger: CheckLedger): void {
  const folder = waitingFolder(stateDir);
  if (waits(ledger)) {
    makeFolder(join(stateDir, 'check'), 'waiting');
    writeFileDurably({ state: stateDir, folder, name }, `${ledger.id}\n`);
  } else if (existsSync(join(folder, name))) {
    rmSync(join(folder, name), { force: true });
    syncFolder(nodeIo, folder);
  }
}

const waits = ({ open, entry }: CheckLedger): boolean =>
  open && entry?.dependency_required === true && entry.normalized_state.dependency_state === 'pending';
