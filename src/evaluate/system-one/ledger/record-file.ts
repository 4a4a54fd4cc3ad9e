import { statSync } from 'node:fs';
import { errorCode, type SpoolIo } from '../../../spool/spool-io.ts';

/** An answer is bounded by `max_response_bytes` (1 MiB), which JSON escapes can lengthen sixfold. */
export const maxRecordBytes = 8 * 1_048_576;

/** Gives a file a second name unless that name is taken: the compare-and-set of the ledger. Says whether it did. */
export function linkIfFree(io: SpoolIo, file: string, name: string): boolean {
  try {
    io.linkSync(file, name);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a name is there; a folder that may not be read throws rather than look empty. */
export function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}
