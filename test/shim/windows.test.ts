import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { plainEnv } from '../support/wrapped.ts';

const bundle = fileURLToPath(new URL('../../dist/shim.cjs', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'drift-windows-'));
afterAll(() => rmSync(dir, { recursive: true }));

// The branch that Windows takes, on this system: what the console and the process table do there is not covered.
const platform = join(dir, 'platform.cjs');
writeFileSync(platform, "Object.defineProperty(process, 'platform', { value: 'win32' });");

const onWindows = (...words: string[]) =>
  spawnSync(process.execPath, ['-r', platform, bundle, ...words], {
    env: { ...plainEnv, LOCALAPPDATA: join(dir, 'local') },
  });

describe('on Windows', () => {
  it('passes the command through, and says once that nothing is captured', () => {
    const command = ['refresh', '--state-dir', dir, '--', 'sh', '-c', 'cat; echo err >&2; exit 7'];

    const [first, second] = [onWindows(...command), onWindows(...command)];

    expect([first.status, first.stderr.toString()]).toEqual([
      7,
      'drift: on Windows drift refresh only passes the command through; capture is not supported there\nerr\n',
    ]);
    expect([second.status, second.stderr.toString()]).toEqual([7, 'err\n']);
  });

  it('tells a program that is not there as a shell does', () => {
    const { status, stderr } = onWindows('refresh', '--', 'no-such-program');

    expect([status, stderr.toString()]).toEqual([127, 'drift: no-such-program: command not found\n']);
  });
});

describe('dist/shim.cjs by itself', () => {
  it('is a usage error without a command', () => {
    const { status, stderr } = spawnSync(process.execPath, [bundle, 'refresh', '--state-dir', 'x'], {
      env: plainEnv,
    });

    expect([status, stderr.toString()]).toEqual([
      2,
      'drift refresh: there is no command; write it after --\n',
    ]);
  });
});
