import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapWords } from '../../src/shim/launch/launch-facts.ts';
import { readParts } from '../../src/shim/launch/node-parts.ts';
import { plainEnv, prepare, type Situation, sh, situations } from '../support/wrapped.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const bundle = join(dist, 'shim.cjs');
/** What the launcher starts. */
const entry = join(dist, 'start-compiled.cjs');
const dir = mkdtempSync(join(tmpdir(), 'drift-hot-'));
afterAll(() => rmSync(dir, { recursive: true }));

/** Writes every module that is asked for, and every file that becomes one, to the file named by LOADED. */
const listener = join(dir, 'listener.cjs');
writeFileSync(
  listener,
  `const { appendFileSync } = require('node:fs');
   const Module = require('node:module');
   const note = (name) => appendFileSync(process.env.LOADED, name + '\\n');
   const load = Module._load;
   Module._load = function (request, ...rest) {
     note(request);
     return load.call(this, request, ...rest);
   };
   const { getBuiltinModule } = process;
   process.getBuiltinModule = (name) => {
     note(name);
     return getBuiltinModule(name);
   };`,
);

/** The relative imports of a built module, and what else it names. */
function importsOf(file: string): { readonly files: string[]; readonly others: string[] } {
  const named = [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
    ([, name = '']) => name,
  );
  return {
    files: named.filter((name) => name.startsWith('.')).map((name) => join(dirname(file), name)),
    others: named.filter((name) => !name.startsWith('.')),
  };
}

const compiled = readFileSync(join(dist, `shim-${process.version}-${process.arch}.cache`), 'latin1');
const parts = readParts(mapWords(compiled.slice(0, compiled.indexOf('\n')).split(' ')));

describe('the hot path', () => {
  it('is one file that asks for modules of Node only', () => {
    const asked = [...readFileSync(bundle, 'utf8').matchAll(/\b(?:require|import)\(([^)]*)\)/g)].map(
      ([, name]) => name,
    );

    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((name) => !/^"node:[a-z_/]+"$/.test(name ?? ''))).toEqual([]);
  });

  it('reaches no package from its sources, yargs and zod least of all', () => {
    const seen = new Set<string>();
    const packages = new Set<string>();
    for (let files = [join(dist, 'shim/main.js')]; files.length > 0; ) {
      const next = files.flatMap((file) => {
        seen.add(file);
        const { files: inside, others } = importsOf(file);
        for (const name of others) if (!name.startsWith('node:')) packages.add(name);
        return inside;
      });
      files = next.filter((file) => !seen.has(file));
    }

    expect(seen.size).toBeGreaterThan(20);
    expect([...packages]).toEqual([]);
    expect(readFileSync(bundle, 'utf8')).not.toMatch(/yargs|ZodError|proper-lockfile/);
  });

  describe.each(situations)('situation %s', (name) => {
    let situation: Situation;
    beforeAll(async () => {
      situation = await prepare(name, dir);
    });

    it('has loaded nothing but modules of Node when the command starts', () => {
      const loaded = join(dir, `${name}-loaded`);
      const atStart = join(dir, `${name}-at-start`);
      const command = [
        'refresh',
        '--state-dir',
        situation.state,
        '--',
        ...sh('cp "$1" "$2"', loaded, atStart),
      ];

      const { status } = spawnSync(process.execPath, ['-r', listener, entry, ...command], {
        env: { ...plainEnv, LOADED: loaded },
      });

      const names = readFileSync(atStart, 'utf8').trim().split('\n');
      const builtin = new Set([
        ...builtinModules,
        ...builtinModules.map((module) => `node:${module}`),
        entry,
        // Where this Node has compiled nothing ahead.
        bundle,
      ]);
      expect(status).toBe(0);
      expect(names).toContain('node:fs');
      expect(names.filter((module) => !builtin.has(module))).toEqual([]);
      // The parts of Node that were tried when this was built spare the modules in front of them; a socket needs them.
      expect(names.includes('node:child_process')).toBe(name === 'loopx' || parts.spawn === null);
      // A LoopX host's files are looked at before the command, against a checkpoint whose digest is proved first. A generic
      // host's digests are made ready while the command runs.
      if (parts.hash !== null || name === 'none' || name === 'idle')
        expect(names).not.toContain('node:crypto');
      else if (name === 'loopx') expect(names).toContain('node:crypto');
    });
  });
});
