import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createFile, makeFolder } from '../store/durable-file.ts';

/**
 * Notes down that a stop is held for this obligation in this session, durably and before it is held. False when that
 * has been noted already, or cannot be: then the stop must be let go.
 */
export function claimBlock(state: string, obligationId: string, session: string): boolean {
  const name = createHash('sha256').update(`${obligationId}\0${session}`).digest('hex').slice(0, 32);
  try {
    makeFolder(makeFolder(state, 'hook'), 'held');
    return createFile({ state, folder: join(state, 'hook', 'held'), name }, `${obligationId}\n`);
  } catch {
    return false;
  }
}
