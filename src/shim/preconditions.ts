import { realpathSync, statfsSync, statSync } from 'node:fs';
import { sha256 } from '../spool/lazy-crypto.ts';
import { readSmallFile } from './binding.ts';
import { CaptureFailed } from './capture-failed.ts';

const MAX_BASIS_BYTES = 32_768;
const LOW_SPACE_BYTES = 67_108_864;
const LOW_SPACE_SHARE = 0.05;

export interface WorkspaceIdentity {
  readonly real: string;
  readonly dev: number;
  readonly ino: number;
}

/** What a workspace is at this moment; an empty path when it is gone. */
export function identifyWorkspace(workspace: string): WorkspaceIdentity {
  try {
    const { dev, ino } = statSync(workspace);
    return { real: realpathSync(workspace), dev, ino };
  } catch {
    return { real: '', dev: 0, ino: 0 };
  }
}

/** The workspace must be the one of init by its real path, and the same folder before and after the command. */
export function refuseOtherWorkspace(workspace: string, before: WorkspaceIdentity): void {
  const after = identifyWorkspace(workspace);
  if (after.real === '') throw new CaptureFailed('workspace_missing');
  const moved = after.real !== workspace || before.dev !== after.dev || before.ino !== after.ino;
  if (moved) throw new CaptureFailed('workspace_replaced');
}

/** Free bytes below which nothing is captured: 64 MiB, or 5 % of a small filesystem (design §3). */
export function hasLowSpace(state: string): boolean {
  const { bavail, blocks, bsize } = statfsSync(state);
  return bavail * bsize < Math.min(LOW_SPACE_BYTES, blocks * bsize * LOW_SPACE_SHARE);
}

export function refuseLowSpace(state: string): void {
  if (hasLowSpace(state)) throw new CaptureFailed('low_space');
}

/** `contract_revision`: sha256 of the basis file's bytes (design §2). */
export function readRevision(basisFile: string): string {
  const bytes = readSmallFile(basisFile, MAX_BASIS_BYTES);
  if (bytes === null) throw new CaptureFailed('basis_unreadable');
  return sha256(bytes);
}
