import { join } from 'node:path';
import { removeQuietly, stageFile } from './durable-file.ts';
import type { SpoolIo } from './spool-io.ts';

/**
 * What the filesystem of `folder` says the time is, epoch milliseconds: the mtime of a file made now. Ages of files are
 * told by the clock that gave them their times, so that no jump of the process's own can make a live file old.
 */
export function readFileClock(io: SpoolIo, folder: string): number {
  const file = stageFile(io, folder, [], false);
  try {
    return io.lstatSync(file).mtimeMs;
  } finally {
    removeQuietly(io, file);
  }
}

/** How long ago a file was last written, by the same clock; 0 when it is gone. */
export function ageOf(io: SpoolIo, folder: string, name: string, clock: number): number {
  const stat = io.lstatSync(join(folder, name), { throwIfNoEntry: false });
  return stat === undefined ? 0 : clock - stat.mtimeMs;
}
