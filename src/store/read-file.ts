import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { type JsonValue, parseStrictJson } from '../json/strict-json.ts';

export interface ReadLimits {
  readonly maxBytes: number;
  /** Set for files of the state: those of another user are refused (root may read all). */
  readonly ownOnly?: boolean;
}

/**
 * The text of one regular file, never through a symbolic link in its last component, UTF-8 only.
 * Fails with `file_missing`, `file_not_regular`, `file_too_large`, `file_owner_differs` or `file_unreadable`.
 */
export function readTextFile(path: string, limits: ReadLimits): Result<string, Failure> {
  let file: number;
  try {
    // O_NONBLOCK: a pipe must be refused, not waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return fail(openFailure(path, error as NodeJS.ErrnoException));
  }
  try {
    return readOpened(file, path, limits);
  } catch (error) {
    return fail({ reason: 'file_unreadable', file: path, detail: (error as Error).message });
  } finally {
    closeSync(file);
  }
}

/** The strict JSON in one regular file (design §12). Adds `json_invalid` with the position. */
export function readJsonFile(path: string, limits: ReadLimits): Result<JsonValue, Failure> {
  const text = readTextFile(path, limits);
  return text.ok ? parseJsonText(text.value, path) : text;
}

/** Strict JSON from a text; `source` names it in the failure. */
export function parseJsonText(text: string, source: string): Result<JsonValue, Failure> {
  const parsed = parseStrictJson(text);
  if (parsed.ok) return ok(parsed.value);
  const { fault, line, column, key } = parsed.fault;
  return fail({
    reason: 'json_invalid',
    file: source,
    position: { line, column },
    detail: fault,
    ...(key === undefined ? {} : { field: key }),
  });
}

function openFailure(path: string, { code, message }: NodeJS.ErrnoException): Failure {
  if (code === 'ENOENT' || code === 'ENOTDIR') return { reason: 'file_missing', file: path };
  if (code === 'ELOOP') return { reason: 'file_not_regular', file: path, detail: 'a symbolic link' };
  return { reason: 'file_unreadable', file: path, detail: code ?? message };
}

function readOpened(
  file: number,
  path: string,
  { maxBytes, ownOnly = false }: ReadLimits,
): Result<string, Failure> {
  const stat = fstatSync(file);
  if (!stat.isFile()) return fail({ reason: 'file_not_regular', file: path });
  const user = process.getuid?.();
  if (ownOnly && user !== undefined && user !== 0 && stat.uid !== user)
    return fail({ reason: 'file_owner_differs', file: path });
  if (stat.size > maxBytes)
    return fail({
      reason: 'file_too_large',
      file: path,
      detail: `${stat.size} bytes, at most ${maxBytes}`,
    });
  const bytes = Buffer.alloc(stat.size);
  let length = 0;
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, length);
    if (read === 0) break;
    length += read;
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length)));
  } catch {
    return fail({ reason: 'file_unreadable', file: path, detail: 'not UTF-8' });
  }
}
