import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { type JsonFault, type JsonValue, parseStrictJson } from './strict-json.ts';

/** A file's bytes with the document they hold. */
export interface JsonFile {
  readonly bytes: Buffer;
  readonly value: JsonValue;
}

/**
 * Reads a file that holds one strict JSON document (design §12). Never follows a symbolic link, never waits on a
 * pipe or device, never reads more than `maxBytes`. Reasons: file_missing, file_not_regular, file_owner_differs,
 * file_too_large, file_unreadable, json_invalid.
 */
export function readJsonFile(file: string, maxBytes: number): Result<JsonFile, Failure> {
  const read = readOwnFile(file, maxBytes);
  if (!read.ok) return read;
  const text = decodeUtf8(read.value);
  if (text === null) return fail({ reason: 'json_invalid', file, detail: 'it is not UTF-8' });
  const parsed = parseJsonText(text, file);
  return parsed.ok ? ok({ bytes: read.value, value: parsed.value }) : parsed;
}

/** The strict JSON in a text, with json_invalid as its only failure; `source` is named in it. */
export function parseJsonText(text: string, source: string): Result<JsonValue, Failure> {
  const parsed = parseStrictJson(text);
  return parsed.ok ? ok(parsed.value) : fail(jsonFailure(source, parsed.fault));
}

/** Reads a regular file of this user, whole. Reasons as {@link readJsonFile}, without json_invalid. */
export function readOwnFile(file: string, maxBytes: number): Result<Buffer, Failure> {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return fail(openFailure(file, error as NodeJS.ErrnoException));
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return fail({ reason: 'file_not_regular', file });
    if (process.geteuid && stat.uid !== process.geteuid())
      return fail({ reason: 'file_owner_differs', file });
    if (stat.size > maxBytes)
      return fail({ reason: 'file_too_large', file, detail: `${stat.size} bytes, at most ${maxBytes}` });
    return ok(readWhole(fd, stat.size));
  } catch (error) {
    return fail(openFailure(file, error as NodeJS.ErrnoException));
  } finally {
    closeSync(fd);
  }
}

function readWhole(fd: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const count = readSync(fd, bytes, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function decodeUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function openFailure(file: string, error: NodeJS.ErrnoException): Failure {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return { reason: 'file_missing', file };
  if (error.code === 'ELOOP') return { reason: 'file_not_regular', file, detail: 'it is a symbolic link' };
  return { reason: 'file_unreadable', file, detail: error.code ?? error.message };
}

function jsonFailure(file: string, fault: JsonFault): Failure {
  const { line, column, key } = fault;
  const words: Record<JsonFault['fault'], string> = {
    syntax: 'syntax error',
    duplicate_key: `the key ${key ?? ''} stands twice`,
    trailing_text: 'there is text after the document',
    not_finite: 'a number is not finite',
    too_deep: 'it is nested too deeply',
  };
  const field = key === undefined ? {} : { field: key };
  return { reason: 'json_invalid', file, position: { line, column }, detail: words[fault.fault], ...field };
}
