import { statSync } from 'node:fs';

const WRITABLE_BY_OTHERS = 0o022;
const OPEN_TO_OTHERS = 0o077;

/** Why a state directory cannot be trusted; the words are for people. */
export type NotPrivate = 'it belongs to another user' | 'others may write to it' | 'others may enter it';

/**
 * Why nothing in a state directory may be believed; null where it may, or where there is none. A directory that was
 * found by looking upward may have come with the tree, from a clone or an archive, and those make no private folders:
 * drift's own are (design §3).
 */
export function whyNotPrivate(state: string, wasNamed: boolean): NotPrivate | null {
  const stat = statSync(state, { throwIfNoEntry: false });
  if (!stat) return null;
  if (process.geteuid && stat.uid !== process.geteuid()) return 'it belongs to another user';
  if ((stat.mode & WRITABLE_BY_OTHERS) !== 0) return 'others may write to it';
  return !wasNamed && (stat.mode & OPEN_TO_OTHERS) !== 0 ? 'others may enter it' : null;
}
