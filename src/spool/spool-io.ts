import fs from 'node:fs';

/** Every file operation of the spool goes through this, so that a test can make any one of them fail or stop. */
export type SpoolIo = Pick<
  typeof fs,
  | 'openSync'
  | 'closeSync'
  | 'writeSync'
  | 'readSync'
  | 'fsyncSync'
  | 'fstatSync'
  | 'fchmodSync'
  | 'ftruncateSync'
  | 'linkSync'
  | 'unlinkSync'
  | 'renameSync'
  | 'mkdirSync'
  | 'chmodSync'
  | 'readdirSync'
  | 'statSync'
  | 'lstatSync'
>;

export const nodeIo: SpoolIo = fs;

export const errorCode = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException | null)?.code;
