import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { discoverCommands } from '../../src/gate/discover-commands.ts';
import { temporaryFolder } from '../support/rig.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const discover = (files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return discoverCommands(folder);
};
const labels = (files: Readonly<Record<string, string>>) =>
  discover(files).commands.map(({ label }) => label);
const scripts = (named: Readonly<Record<string, string>>, more = {}) =>
  JSON.stringify({ scripts: named, ...more });

describe('discoverCommands', () => {
  it('finds nothing in an empty folder', () => {
    expect(discover({})).toEqual({ commands: [], left_out: [] });
  });

  it('runs test, then every test of its own name, then build', () => {
    const named = { build: 'b', 'test:unit': 'u', lint: 'l', test: 't', 'test-e2e': 'e', testing: 'x' };

    expect(labels({ 'package.json': scripts(named) })).toEqual([
      'npm test',
      'npm run test:unit',
      'npm run test-e2e',
      'npm run build',
    ]);
  });

  it.each([
    ['pnpm-lock.yaml', 'pnpm test'],
    ['yarn.lock', 'yarn test'],
    ['bun.lock', 'bun test'],
    ['package-lock.json', 'npm test'],
  ])('takes the package manager of %s', (lockfile, label) => {
    expect(labels({ 'package.json': scripts({ test: 't' }), [lockfile]: '' })).toEqual([label]);
  });

  it('takes the package manager that the manifest names over a lockfile', () => {
    const manifest = scripts({ test: 't' }, { packageManager: 'pnpm@9.1.0' });

    expect(labels({ 'package.json': manifest, 'yarn.lock': '' })).toEqual(['pnpm test']);
  });

  it('leaves out the placeholder of npm init and what waits for somebody, and says so', () => {
    const found = discover({
      'package.json': scripts({
        test: 'echo "Error: no test specified" && exit 1',
        'test:watch': 'w',
        'test:unit': 'u',
      }),
    });

    expect(found.commands.map(({ label }) => label)).toEqual(['npm run test:unit']);
    expect(found.left_out.map(({ label }) => label)).toEqual(['npm test', 'npm run test:watch']);
  });

  it('says that a package.json cannot be read', () => {
    expect(discover({ 'package.json': '{' })).toEqual({
      commands: [],
      left_out: [{ label: 'package.json', why: 'json_invalid' }],
    });
  });

  it.each([
    ['test:\n\ttrue\nbuild: test\n\ttrue\n', ['make test', 'make build']],
    ['all build test: deps\n', ['make test', 'make build']],
    ['.PHONY: test\n', []],
    ['test := 1\ntesting:\n', []],
    ['test::\n\ttrue\n', ['make test']],
  ])('reads the targets of a Makefile like %j', (text, expected) => {
    expect(labels({ Makefile: text })).toEqual(expected);
  });

  it.each([
    ['Cargo.toml', '', ['cargo test']],
    ['go.mod', 'module x', ['go test ./...']],
    ['pytest.ini', '', ['pytest']],
    ['conftest.py', '', ['pytest']],
    ['pyproject.toml', '[tool.pytest.ini_options]\n', ['pytest']],
    ['pyproject.toml', '[project]\n', []],
    ['setup.cfg', '[tool:pytest]\n', ['pytest']],
    ['tox.ini', '[pytest]\n', ['pytest']],
    ['tests/test_a.py', '', ['pytest']],
    ['tests/helper.py', '', []],
  ])('knows the project of %s', (name, text, expected) => {
    expect(labels({ [name]: text })).toEqual(expected);
  });

  it('holds pytest\'s "no tests collected" to be neither a pass nor a failure', () => {
    expect(discover({ 'pytest.ini': '' }).commands[0]?.skipExit).toEqual([5]);
  });
});
