import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GateCommand } from '../contract/gate.ts';
import { asJsonObject, type JsonObject } from '../json/json-object.ts';
import { readJsonFile, readOwnFile } from '../json/read-json-file.ts';

const maxFileBytes = 4 * 1024 * 1024;

/** What a folder offers to run, and what was left out on purpose. */
export interface Discovered {
  readonly commands: readonly (GateCommand & { readonly source: string })[];
  readonly left_out: readonly { readonly label: string; readonly why: string }[];
}

type Argv = readonly [string, ...string[]];
const commandOf = (source: string, argv: Argv, skipExit: readonly number[] = []) => ({
  source,
  label: argv.join(' '),
  argv,
  skipExit,
  exit127: 'skip' as const,
});

/** The commands of a folder, in the order in which the gate runs them: npm, make, cargo, go, pytest. */
export function discoverCommands(cwd: string): Discovered {
  const npm = discoverNpm(cwd);
  const commands = [...npm.commands, ...discoverMake(cwd)];
  if (existsSync(join(cwd, 'Cargo.toml'))) commands.push(commandOf('Cargo.toml', ['cargo', 'test']));
  if (existsSync(join(cwd, 'go.mod'))) commands.push(commandOf('go.mod', ['go', 'test', './...']));
  const pytest = pytestSource(cwd);
  // 5 is pytest's own word for "no tests collected", which is neither a pass nor a failure.
  if (pytest !== null) commands.push(commandOf(pytest, ['pytest'], [5]));
  return { commands, left_out: npm.left_out };
}

/** `test`, then `test:*` and `test-*`, then `build`. */
function discoverNpm(cwd: string): Discovered {
  const manifest = readJsonFile(join(cwd, 'package.json'), maxFileBytes);
  if (!manifest.ok) {
    const missing = manifest.failure.reason === 'file_missing';
    return {
      commands: [],
      left_out: missing ? [] : [{ label: 'package.json', why: manifest.failure.reason }],
    };
  }
  const scripts = asJsonObject(asJsonObject(manifest.value.value)['scripts']);
  const runner = packageManager(cwd, asJsonObject(manifest.value.value));
  const names = Object.keys(scripts).filter((name) => typeof scripts[name] === 'string');
  const wanted = [
    ...names.filter((name) => name === 'test'),
    ...names.filter((name) => /^test[:-]./.test(name)),
    ...names.filter((name) => name === 'build'),
  ].map((name) => ({
    label: labelOf(runner, name).join(' '),
    argv: labelOf(runner, name),
    why: whyNot(name, scripts),
  }));
  return {
    commands: wanted.filter(({ why }) => why === null).map(({ argv }) => commandOf('package.json', argv)),
    left_out: wanted.flatMap(({ label, why }) => (why === null ? [] : [{ label, why }])),
  };
}

const labelOf = (runner: string, name: string): Argv =>
  name === 'test' ? [runner, 'test'] : [runner, 'run', name];

function whyNot(name: string, scripts: JsonObject): string | null {
  if (/[:-](watch|ui|debug|open|dev|update)\b/.test(name)) return 'it waits for somebody or rewrites files';
  const isPlaceholder = /^echo "Error: no test specified" && exit 1$/.test(String(scripts[name]).trim());
  return name === 'test' && isPlaceholder ? 'it is the placeholder of npm init' : null;
}

/** The manager that package.json names, else the one whose lockfile lies there, else npm. */
function packageManager(cwd: string, manifest: JsonObject): string {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(String(manifest['packageManager'] ?? ''))?.[1];
  if (named) return named;
  const lockfiles = [
    ['pnpm-lock.yaml', 'pnpm'],
    ['yarn.lock', 'yarn'],
    ['bun.lock', 'bun'],
    ['bun.lockb', 'bun'],
  ] as const;
  return lockfiles.find(([file]) => existsSync(join(cwd, file)))?.[1] ?? 'npm';
}

/** The targets `test` and `build` of the Makefile that make itself would read. */
function discoverMake(cwd: string): Discovered['commands'][number][] {
  const source = ['GNUmakefile', 'makefile', 'Makefile'].find((name) => existsSync(join(cwd, name)));
  const text = source === undefined ? '' : textOf(join(cwd, source));
  return ['test', 'build']
    .filter((target) =>
      new RegExp(`^(?:[\\w.-]+[ \\t]+)*${target}(?:[ \\t]+[\\w.-]+)*[ \\t]*::?(?!=)`, 'm').test(text),
    )
    .map((target) => commandOf(source ?? '', ['make', target]));
}

function pytestSource(cwd: string): string | null {
  const sections = [
    ['pyproject.toml', /^\[tool\.pytest/m],
    ['setup.cfg', /^\[tool:pytest\]/m],
    ['tox.ini', /^\[pytest\]/m],
  ] as const;
  const file = ['pytest.ini', 'conftest.py'].find((name) => existsSync(join(cwd, name)));
  const section = sections.find(([name, pattern]) => pattern.test(textOf(join(cwd, name))))?.[0];
  const folder = ['tests', 'test'].find((name) => hasPythonTests(join(cwd, name)));
  return file ?? section ?? folder ?? null;
}

const hasPythonTests = (folder: string): boolean =>
  existsSync(folder) && readdirNames(folder).some((name) => /^(test_.*|.*_test)\.py$/.test(name));

function readdirNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file: string): string {
  const read = readOwnFile(file, maxFileBytes);
  return read.ok ? read.value.toString('utf8') : '';
}
