import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Makes a folder that only its owner can enter, and those above it. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Replaces a file: after it returns the new content survives a power cut; before, the old one does. */
export function replaceFile(path: string, content: string): void {
  const temporary = writeTemporary(path, content);
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/**
 * Makes a file that must not be there yet, all of it at once and durably (`link(2)`, which fails with EEXIST).
 * False when another process made it first.
 */
export function createFile(path: string, content: string): boolean {
  const temporary = writeTemporary(path, content);
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
  return true;
}

/** Adds whole lines to the end of a file and makes them durable. */
export function appendLines(path: string, lines: string): void {
  const file = openSync(path, 'a', 0o600);
  try {
    writeAll(file, lines);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function writeTemporary(path: string, content: string): string {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}`);
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeAll(file, content);
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return temporary;
}

function writeAll(file: number, content: string): void {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
