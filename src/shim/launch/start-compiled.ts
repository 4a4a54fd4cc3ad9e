// Runs `dist/shim.cjs` with the code that this Node's V8 made of it before (compile-ahead.ts), which spares a tenth of
// Node's start. Where there is none, or it is another program's: the same program, compiled as usual.
import type { Script } from 'node:vm';
import { readCompiledCode, readProgram, scriptOf } from './compiled-code.ts';

// Bundled as CommonJS.
declare const __dirname: string;
declare const require: (id: string) => unknown;

function load(): Script | null {
  try {
    const program = readProgram(__dirname);
    const compiled = readCompiledCode(__dirname, program);
    if (compiled === null) return null;
    const script = scriptOf(program, compiled.code);
    // Beside what the launcher says. V8 has looked at more than the mark.
    if (!script.cachedDataRejected) process.argv.splice(2, 0, ...compiled.nodeParts.split(' '));
    return script;
  } catch {
    return null;
  }
}

const script = load();
if (script === null) require(`${__dirname}/shim.cjs`);
else script.runInThisContext()(require);
