import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { plainEnv } from '../support/wrapped.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cacheName = `shim-${process.version}-${process.arch}.cache`;
const dir = mkdtempSync(join(tmpdir(), 'drift-compiled-'));
afterAll(() => {
  chmodSync(dir, 0o700);
  rmSync(dir, { recursive: true });
});

/** An installation of its own, without compiled code. */
function install(name: string): string {
  const folder = join(dir, name);
  mkdirSync(folder);
  for (const file of ['shim.cjs', 'start-compiled.cjs'])
    copyFileSync(join(root, 'dist', file), join(folder, file));
  return folder;
}

const compileAhead = (folder: string) =>
  spawnSync(process.execPath, [
    '--input-type=module',
    '-e',
    `import { compileAhead } from ${JSON.stringify(join(root, 'dist/shim/launch/compile-ahead.js'))};
     compileAhead(process.argv[1]);`,
    folder,
  ]);

/** Says whether V8 took the code, because a run that compiles the program anew looks the same. */
const spy = join(dir, 'spy.cjs');
writeFileSync(
  spy,
  `const vm = require('node:vm');
   const { Script } = vm;
   vm.Script = class extends Script {
     constructor(...all) {
       super(...all);
       process.on('exit', () => require('node:fs').writeFileSync(process.env.SEEN, this.cachedDataRejected ? 'refused' : 'used'));
     }
   };`,
);

function refresh(folder: string): { code: string; told: unknown[] } {
  const seen = join(folder, 'seen');
  rmSync(seen, { force: true });
  const command = ['refresh', '--state-dir', join(folder, 'none'), '--', 'sh', '-c', 'echo out; exit 7'];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-r', spy, join(folder, 'start-compiled.cjs'), ...command],
    { env: { ...plainEnv, SEEN: seen } },
  );
  const code = readdirSync(folder).includes('seen') ? readFileSync(seen, 'utf8') : 'none';
  return { code, told: [status, stdout.toString(), stderr.toString()] };
}

const told = [7, 'out\n', ''];

describe('the hot path, compiled ahead', () => {
  it('is used by the Node that compiled it', () => {
    const folder = install('plain');

    expect(refresh(folder)).toEqual({ code: 'none', told });
    expect(compileAhead(folder).status).toBe(0);
    expect(refresh(folder)).toEqual({ code: 'used', told });
  });

  it('is not used for another program, even of the same length', () => {
    const folder = install('other');
    compileAhead(folder);
    const program = join(folder, 'shim.cjs');
    const stat = statSync(program);
    writeFileSync(program, 'console.log("another"); process.exit(3);'.padEnd(stat.size));
    utimesSync(program, stat.atime, new Date(stat.mtimeMs + 5_000));

    expect(refresh(folder)).toEqual({ code: 'none', told: [3, 'another\n', ''] });
  });

  it('is not used by another Node of the same version', () => {
    const folder = install('another-node');
    compileAhead(folder);
    const cache = join(folder, cacheName);
    const bytes = readFileSync(cache);
    const end = bytes.indexOf('\n');
    const [length, time, nodeSize = '', ...rest] = bytes.toString('latin1', 0, end).split(' ');
    const line = [length, time, `${Number(nodeSize) + 1}`, ...rest].join(' ');
    writeFileSync(cache, Buffer.concat([Buffer.from(line), bytes.subarray(end)]));

    expect(refresh(folder)).toEqual({ code: 'none', told });
  });

  it('is refused when it was cut short, and the program runs all the same', () => {
    const folder = install('short');
    compileAhead(folder);
    const cache = join(folder, cacheName);
    writeFileSync(cache, readFileSync(cache).subarray(0, 5_000));

    expect(refresh(folder)).toEqual({ code: 'refused', told });
  });

  it('belongs to one version of Node', () => {
    const folder = install('version');
    compileAhead(folder);

    expect(readdirSync(folder)).toContain(cacheName);
  });

  it('is compiled once, and anew for a new program', () => {
    const folder = install('again');
    compileAhead(folder);
    const first = statSync(join(folder, cacheName)).ino;
    compileAhead(folder);
    const second = statSync(join(folder, cacheName)).ino;
    utimesSync(join(folder, 'shim.cjs'), 1, 1);
    compileAhead(folder);

    expect(second).toBe(first);
    expect(readFileSync(join(folder, cacheName), 'latin1')).toMatch(
      /^\d+ 1000 \d+ [\d.]+ spawn=\w* hash=\w*\n/,
    );
    expect(refresh(folder)).toEqual({ code: 'used', told });
  });

  it('is left out where nothing can be written', () => {
    expect(compileAhead(join(dir, 'missing'))).toMatchObject({ status: 0, stderr: Buffer.alloc(0) });
    const folder = install('read-only');
    mkdirSync(join(folder, cacheName));

    expect(compileAhead(folder)).toMatchObject({ status: 0, stderr: Buffer.alloc(0) });
    expect(refresh(folder)).toEqual({ code: 'none', told });
  });

  it('is made by drain for a Node that init has not met', async () => {
    const package_ = join(dir, 'package');
    mkdirSync(package_);
    for (const part of ['dist', 'bin', 'package.json'])
      cpSync(join(root, part), join(package_, part), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(root, 'node_modules'), join(package_, 'node_modules'));
    const drift = (...words: string[]) =>
      spawnSync(join(package_, 'bin', 'drift'), words, { cwd: package_, env: plainEnv, encoding: 'utf8' });
    const criteria = ['--objective', 'Retry', '--acceptance', 'It retries', '--path', 'package.json'];
    expect(drift('init', '--host', 'generic', ...criteria).status).toBe(0);
    rmSync(join(package_, 'dist', cacheName));

    expect(drift('refresh', '--', 'true').status).toBe(0);
    expect(readdirSync(join(package_, 'dist'))).not.toContain(cacheName);
    expect(drift('drain').status).toBe(0);
    expect(readdirSync(join(package_, 'dist'))).toContain(cacheName);
  });

  it('stays out of the package, which is for every version of Node', () => {
    const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
    const names = (JSON.parse(stdout.toString())[0].files as { path: string }[]).map(({ path }) => path);

    expect(names).toEqual(expect.arrayContaining(['bin/drift', 'dist/shim.cjs', 'dist/start-compiled.cjs']));
    expect(names.filter((name) => name.endsWith('.cache'))).toEqual([]);
  });
});
