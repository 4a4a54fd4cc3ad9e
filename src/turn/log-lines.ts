import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Failure } from '../contract/failure.ts';
import { fail, ok, type Result } from '../contract/result.ts';

/** One line of a log. `text` is null for a line longer than the limit; `isWhole` is false for one without a line end. */
export interface LogLine {
  readonly text: string | null;
  readonly isWhole: boolean;
}

const chunkBytes = 262_144;
const maxLineBytes = 64 * 1024 * 1024;
const newline = 0x0a;

/** A log that is open for reading, at most up to the size it had then: what a host appends meanwhile is not seen. */
export interface OpenLog {
  readonly lines: () => Generator<LogLine>;
  readonly close: () => void;
}

/** Fails with `file_missing`, `file_not_regular` or `file_unreadable`. */
export function openLog(file: string, maxBytes = Number.POSITIVE_INFINITY): Result<OpenLog, Failure> {
  let descriptor: number;
  try {
    // O_NONBLOCK: a pipe must be refused, not waited for.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    return fail(
      missing
        ? { reason: 'file_missing', file }
        : { reason: 'file_unreadable', file, detail: code ?? message },
    );
  }
  const stat = fstatSync(descriptor);
  const close = (): void => closeSync(descriptor);
  if (stat.isFile()) return ok({ lines: () => readLines(descriptor, Math.min(stat.size, maxBytes)), close });
  close();
  return fail({ reason: 'file_not_regular', file });
}

/** Holds one line and one chunk at a time. */
function* readLines(descriptor: number, size: number): Generator<LogLine> {
  let pieces: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer): void => {
    length += piece.length;
    // Of a line that is too long, only the length matters.
    if (length <= maxLineBytes) pieces.push(piece);
    else pieces = [];
  };
  const take = (isWhole: boolean): LogLine => {
    const text = length > maxLineBytes ? null : clean(Buffer.concat(pieces));
    pieces = [];
    length = 0;
    return { text, isWhole };
  };
  for (let position = 0; position < size; ) {
    const chunk = Buffer.alloc(Math.min(chunkBytes, size - position));
    const count = readSync(descriptor, chunk, 0, chunk.length, position);
    // It was cut meanwhile.
    if (count === 0) break;
    position += count;
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0 && end < count; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end));
      yield take(true);
      start = end + 1;
    }
    add(chunk.subarray(start, count));
  }
  if (length > 0) yield take(false);
}

/** Without the byte order mark, the carriage return, and the NUL bytes that a lost write leaves. */
const clean = (line: Buffer): string => line.toString('utf8').replace(/^[\uFEFF\0]+|[\r\0]+$/g, '');
