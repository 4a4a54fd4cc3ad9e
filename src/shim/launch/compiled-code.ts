import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { Script } from 'node:vm';

/** Of use to one version of Node on one kind of processor: each has a file of its own. */
export const compiledCodeFile = (folder: string): string =>
  `${folder}/shim-${process.version}-${process.arch}.cache`;

/** The hot path as it lies on the disk. */
export interface Program {
  readonly file: string;
  /** ASCII. */
  readonly content: Buffer;
  /** Of this program and this Node; V8 itself compares no more than the length, and the version of V8. */
  readonly mark: string;
}

/** What one Node found out about itself and the hot path. */
export interface Compiled {
  readonly code: Buffer;
  /** What `tellParts` says. */
  readonly nodeParts: string;
}

export function readProgram(folder: string): Program {
  const file = `${folder}/shim.cjs`;
  const { content, mtimeMs } = readWhole(file);
  const node = statSync(process.execPath);
  return { file, content, mark: `${content.length} ${mtimeMs} ${node.size} ${node.mtimeMs} ` };
}

/** Throws where there is none; null when it was made of another program, or by another Node. */
export function readCompiledCode(folder: string, { mark }: Program): Compiled | null {
  const { content } = readWhole(compiledCodeFile(folder));
  if (content.toString('latin1', 0, mark.length) !== mark) return null;
  const end = content.indexOf('\n');
  return { code: content.subarray(end + 1), nodeParts: content.toString('latin1', mark.length, end) };
}

/** The first line is for {@link readCompiledCode}. */
export const serializeCompiledCode = ({ mark }: Program, { code, nodeParts }: Compiled): Buffer =>
  Buffer.concat([Buffer.from(`${mark}${nodeParts}\n`), code]);

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
