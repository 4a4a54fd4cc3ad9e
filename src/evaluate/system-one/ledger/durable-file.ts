import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type JsonValue, parseStrictJson } from '../../../json/strict-json.ts';

/** Makes a private folder (0700) and what is missing above it, and lets their names reach the disk. */
export function makeDurableFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  for (let at = folder; at.length >= made.length; at = dirname(at)) syncFolder(dirname(at));
}

/** Writes a private file (0600) whole under a name of its own in `folder`; its bytes are on disk on return. */
export function writeDurableTemporary(folder: string, value: object): string {
  const path = join(folder, `${randomUUID()}.tmp`);
  const fd = openSync(path, 'wx', 0o600);
  try {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return path;
}

/** Gives a file another name unless that name is taken: the compare-and-set of this store. Says whether it did. */
export function linkIfFree(path: string, name: string): boolean {
  try {
    linkSync(path, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Puts `value` under `path`, in place of what is there; on disk on return. `path` is never seen half-written. */
export function replaceDurably(path: string, temporaryFolder: string, value: object): void {
  const temporary = writeDurableTemporary(temporaryFolder, value);
  try {
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** Lets names made or removed in a folder reach the disk. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The JSON document under `path`; null: no such file; undefined: a file that is not one strict JSON object. */
export function readJsonObject(path: string): Readonly<Record<string, JsonValue>> | null | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    return undefined;
  }
  const parsed = parseStrictJson(text);
  const value = parsed.ok ? parsed.value : null;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
