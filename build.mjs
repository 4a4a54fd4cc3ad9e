// Makes what is missing: the packages, `dist/` (library and commands, by tsc) and `dist/shim.cjs`
// (the hot path of `drift refresh` as one file without packages) and `dist/page/` (what runs in a browser) by rolldown,
// `dist/shim-*.cache` is what V8 makes of the hot path.
// Usage: node build.mjs [--force]. Does nothing when everything is newer than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  await bundleShim(rolldown);
  await bundlePages(rolldown);
  await inlineFramework(rolldown);
  gatherLicences();
  const { compileAhead } = await import('./dist/shim/launch/compile-ahead.js');
  compileAhead(join(root, 'dist'));
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, '');
}

/** The hot path, and the entry that starts it from compiled code. ASCII, which both may read as latin1. */
async function bundleShim(rolldown) {
  for (const [entry, file] of [
    ['main.js', 'shim.cjs'],
    ['launch/start-compiled.js', 'start-compiled.cjs'],
  ]) {
    const bundle = await rolldown({
      input: join(root, 'dist', 'shim', entry),
      platform: 'node',
      external: /^node:/,
    });
    const { output } = await bundle.generate({ format: 'cjs', minify: true, sourcemap: false });
    await bundle.close();
    const spelt = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is meant.
    writeFileSync(join(root, 'dist', file), output[0].code.replace(/[^\x00-\x7f]/g, spelt));
  }
}

/** What runs in a browser: one file for the dashboard, one for the report, one style sheet for both. */
async function bundlePages(rolldown) {
  const page = join(root, 'dist', 'page');
  for (const entry of ['dashboard', 'report']) {
    const bundle = await rolldown({
      input: join(root, 'src', 'surfaces', 'page', `${entry}.tsx`),
      platform: 'browser',
    });
    await bundle.write({ file: join(page, `${entry}.js`), format: 'esm', minify: true, sourcemap: false });
    await bundle.close();
  }
  const styles = ['node_modules/uplot/dist/uPlot.min.css', 'src/surfaces/page/page-style.css'];
  writeFileSync(
    join(page, 'page.css'),
    styles.map((file) => readFileSync(join(root, file), 'utf8')).join('\n'),
  );
}

/** The web framework goes into the one module that imports it, so that nobody has to install it. */
async function inlineFramework(rolldown) {
  const file = join(root, 'dist', 'surfaces', 'dashboard', 'hono.js');
  const bundle = await rolldown({ input: file, platform: 'node', external: /^node:/ });
  await bundle.write({ file, format: 'esm', minify: true, sourcemap: false });
  await bundle.close();
}

/** Licences of the packages whose code is inside `dist/`. */
function gatherLicences() {
  const texts = ['hono', '@hono/node-server', 'preact', 'uplot'].map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  writeFileSync(join(root, 'dist', 'third-party-licences.txt'), texts.join('\n----\n\n'));
}

install();
await compile();
