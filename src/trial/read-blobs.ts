import type { Failure } from '../contract/failure.ts';
import { ok, type Result } from '../contract/result.ts';
import { runGit } from './git.ts';

const NEWLINE = 0x0a;

/** Reads blobs as they are stored: no filter, no line-end conversion, no textconv. One git process for all. */
export function readBlobs(
  cwd: string,
  blobs: readonly string[],
): Result<ReadonlyMap<string, Buffer>, Failure> {
  const wanted = [...new Set(blobs)];
  const read = runGit({
    cwd,
    words: ['cat-file', '--batch'],
    input: wanted.map((blob) => `${blob}\n`).join(''),
  });
  return read.ok ? ok(parseBatch(read.value)) : read;
}

/** `<hash> blob <size>`, a line end, the bytes, a line end; a blob that is not there has no bytes. */
function parseBatch(output: Buffer): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(NEWLINE, at);
    if (end < 0) break;
    const [hash = '', kind, size] = output.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (kind !== 'blob') continue;
    contents.set(hash, output.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return contents;
}
