// Runs `dist/shim.cjs` with the code that V8 made of it at build time (`dist/shim.cache`), which spares the hot path a
// tenth of Node's start. Made by another Node, or missing: the same program, compiled as usual.
import { join } from 'node:path';
import { Script } from 'node:vm';
import { readStart } from '../command/read-start.ts';

// Bundled as CommonJS.
declare const __dirname: string;
declare const require: (id: string) => unknown;

/** Far more than either file has. */
const MAX_BYTES = 1_048_576;

const program = join(__dirname, 'shim.cjs');

function load(): Script | null {
  try {
    const source = readStart(program, MAX_BYTES);
    const cache = readStart(join(__dirname, 'shim.cache'), MAX_BYTES);
    // V8 itself compares no more than its version and the length of the source.
    const end = cache.indexOf('\n') + 1;
    const isOurs =
      cache.toString('latin1', 0, end) === `${process.version} ${process.arch} ${source.length}\n`;
    if (source.length === MAX_BYTES || cache.length === MAX_BYTES || !isOurs) return null;
    return new Script(`(function(require){${source.toString('latin1')}\n})`, {
      filename: program,
      cachedData: cache.subarray(end),
    });
  } catch {
    return null;
  }
}

const script = load();
if (script === null) require(program);
else script.runInThisContext()(require);
