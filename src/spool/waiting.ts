import { readdirSync } from 'node:fs';

/**
 * Where a declared wait is marked: one file per entry that waits, named by the digest of its id and holding the id.
 */
export const waitingFolder = (stateDir: string): string => `${stateDir}/check/waiting`;

/**
 * True while a required dependency of an open entry is `pending`: a refresh that changes nothing is then a declared
 * wait, neither progress nor drift. One `readdir`; no folder means that nobody waits. Never throws.
 * This file imports nothing but Node, so that the hot path may use it.
 */
export function isWaiting(stateDir: string): boolean {
  try {
    return readdirSync(waitingFolder(stateDir)).some((name) => /^[0-9a-f]{32}$/.test(name));
  } catch {
    return false;
  }
}
