import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Puts a private text in a file's place in one step; on an error the old one stays. Throws what the filesystem reports. */
export function replaceText(file: string, text: string): void {
  const staged = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(staged, text, { mode: 0o600, flag: 'wx', flush: true });
    chmodSync(staged, 0o600);
    renameSync(staged, file);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  }
}
