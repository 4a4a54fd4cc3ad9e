// Makes what is missing: the packages, `dist/` (library and commands, by tsc) and `dist/shim.cjs`
// (the hot path of `drift refresh` as one file without packages, by rolldown).
// Usage: node build.mjs [--force]. Does nothing when everything is newer than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('.', import.meta.url).pathname;
const stamp = join(root, 'dist', '.built');
const force = process.argv.includes('--force');

const timeOf = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
const newestIn = (folder) =>
  Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => timeOf(join(entry.parentPath, entry.name))),
  );

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error(`build: ${command} ${args.join(' ')} failed${error ? `: ${error.message}` : ''}`);
    process.exit(status ?? 1);
  }
}

function install() {
  const installed = timeOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed >= timeOf(join(root, 'package-lock.json'))) return;
  console.error('build: installing packages (npm ci)');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

async function compile() {
  const sources = Math.max(
    newestIn(join(root, 'src')),
    timeOf(join(root, 'tsconfig.json')),
    timeOf(join(root, 'build.mjs')),
  );
  if (!force && timeOf(stamp) > sources) return;
  console.error('build: compiling');
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.json']);
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: join(root, 'dist', 'shim', 'main.js'),
    platform: 'node',
    external: /^node:/,
  });
  await bundle.write({ file: join(root, 'dist', 'shim.cjs'), format: 'cjs', minify: true, sourcemap: false });
  await bundle.close();
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, '');
}

install();
await compile();
