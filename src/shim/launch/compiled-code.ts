import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Script } from 'node:vm';

/** Of use to one version of Node on one kind of processor: each has a file of its own. */
export const compiledCodeFile = (folder: string): string =>
  `${folder}/shim-${process.version}-${process.arch}.cache`;

/** The hot path as it lies on the disk. */
export interface Program {
  readonly file: string;
  /** ASCII. */
  readonly content: Buffer;
  /** Stands in front of the code that was made of it; V8 itself compares no more than the length. */
  readonly mark: string;
}

export function readProgram(folder: string): Program {
  const file = `${folder}/shim.cjs`;
  const { content, mtimeMs } = readWhole(file);
  return { file, content, mark: `${content.length} ${mtimeMs}\n` };
}

/** Throws where there is none; null when it was made of another program. */
export function readCompiledCode(folder: string, { mark }: Program): Buffer | null {
  const { content } = readWhole(compiledCodeFile(folder));
  return content.toString('latin1', 0, mark.length) === mark ? content.subarray(mark.length) : null;
}

/** A function of `require`, so that no module has to be made for it. */
export const scriptOf = ({ file, content }: Program, cachedData?: Buffer): Script =>
  new Script(`(function(require){${content.toString('latin1')}\n})`, {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
  });

/** Not `readFileSync`, whose first call costs a fortieth of Node's start. */
function readWhole(file: string): { content: Buffer; mtimeMs: number } {
  const descriptor = openSync(file, 'r');
  try {
    const { size, mtimeMs } = fstatSync(descriptor);
    const content = Buffer.allocUnsafe(size);
    if (readSync(descriptor, content) !== size) throw new Error(`${file} is shorter than it was`);
    return { content, mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}
