import {
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';

/** Every file operation of the spool goes through this, so that a test can make any one of them fail or stop. */
export type SpoolIo = typeof nodeIo;

export const nodeIo = {
  openSync,
  closeSync,
  writeSync,
  readSync,
  fsyncSync,
  fstatSync,
  fchmodSync,
  ftruncateSync,
  linkSync,
  unlinkSync,
  renameSync,
  mkdirSync,
  chmodSync,
  readdirSync,
  statSync,
  lstatSync,
};

export const errorCode = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException | null)?.code;

/** The names in a folder; none where it is missing. */
export function listNames(io: SpoolIo, folder: string): string[] {
  try {
    return io.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
