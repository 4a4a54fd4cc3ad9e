import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import type { GoalLayout } from '../spool/state-layout.ts';

/**
 * The first folder of a goal's runtime, from the root downward, that is no folder of its own: a link that leads
 * elsewhere, or a file in its place. Nothing is written through it. Null: all that exist are what they should be.
 */
export function findDetour({ goal, runs, review, receipts, staging }: GoalLayout): string | null {
  const goals = dirname(goal);
  const folders = [dirname(goals), goals, goal, runs, review, receipts, staging];
  return folders.find((folder) => !isFolderOrMissing(folder)) ?? null;
}

function isFolderOrMissing(folder: string): boolean {
  try {
    return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? true;
  } catch {
    return false;
  }
}
