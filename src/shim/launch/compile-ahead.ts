import { accessSync, closeSync, constants, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import {
  compiledCodeFile,
  type Program,
  readCompiledCode,
  readProgram,
  scriptOf,
  serializeCompiledCode,
} from './compiled-code.ts';
import { findNodeParts } from './find-node-parts.ts';
import { tellParts } from './node-parts.ts';

/**
 * Compiles the hot path for the Node that runs this, and keeps the code beside it, see start-compiled.ts, together with
 * which parts of this Node can be used; at once where that has been done. Where that folder cannot be written nothing is
 * kept, and nothing else changes.
 *
 * @param folder where shim.cjs is
 */
export function compileAhead(folder: string): void {
  try {
    const program = readProgram(folder);
    if (hasCompiledCode(folder, program)) return;
    accessSync(folder, constants.W_OK);
    const compiled = { code: compileWhole(program), nodeParts: tellParts(findNodeParts()) };
    keep(compiledCodeFile(folder), serializeCompiledCode(program, compiled));
  } catch {
    // The program is compiled at every start, as any other is.
  }
}

/** Whole or not at all, after a power cut too: V8 notices code that has been cut short, but not zeros in its midst. */
function keep(file: string, content: Buffer): void {
  const staged = `${file}.${process.pid}`;
  const descriptor = openSync(staged, 'w');
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(staged, file);
}

function hasCompiledCode(folder: string, program: Program): boolean {
  try {
    return readCompiledCode(folder, program) !== null;
  } catch {
    return false;
  }
}

/** V8 leaves a function uncompiled until its first call, unless told otherwise. It refuses code made under other flags. */
function compileWhole(program: Program): Buffer {
  setFlagsFromString('--no-lazy');
  const script = scriptOf(program);
  setFlagsFromString('--lazy');
  return script.createCachedData();
}
