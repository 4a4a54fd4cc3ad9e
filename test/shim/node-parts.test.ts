import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { mapWords } from '../../src/shim/launch/launch-facts.ts';
import { readParts, tellParts } from '../../src/shim/launch/node-parts.ts';
import { hashBy, loadHash, randomBytes, sha256 } from '../../src/spool/lazy-crypto.ts';
import { plainEnv } from '../support/wrapped.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'drift-parts-'));
afterAll(() => rmSync(dir, { recursive: true }));

const major = Number.parseInt(process.versions.node, 10);
const evaluate = (code: string) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', code], { env: plainEnv, encoding: 'utf8' });
const findParts = (trialMs?: number) =>
  evaluate(
    `import { findNodeParts } from ${JSON.stringify(join(dist, 'shim/launch/find-node-parts.js'))};
     console.log(JSON.stringify(findNodeParts(${trialMs ?? ''})));`,
  );

describe('parts of Node', () => {
  it('are found by trying, and said in words that are read back', () => {
    const { status, stdout, stderr } = findParts();
    const parts = JSON.parse(stdout);

    expect([status, stderr]).toEqual([0, '']);
    expect(readParts(mapWords(tellParts(parts).split(' ')))).toEqual(parts);
    // Of these it is known. A later one may have none of them, and drift works all the same.
    if (major <= 22) expect(parts).toEqual({ spawn: 'object', hash: 'one_shot' });
  });

  it('are not known where a trial has no time to end', () => {
    const { status, stdout, stderr } = findParts(1);

    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('ETIMEDOUT');
  });

  it('are not used by any word but their own', () => {
    const none = { spawn: null, hash: null };

    expect(readParts(new Map())).toEqual(none);
    expect(
      readParts(
        new Map([
          ['spawn', 'usual'],
          ['hash', 'yes'],
        ]),
      ),
    ).toEqual(none);
  });

  it.each(['spawn', 'hash', 'nothing', ''])('are tried one at a time: %s', (part) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(dist, 'shim/launch/try-node-parts.js'), part],
      { env: {}, encoding: 'utf8' },
    );

    expect(stderr).toBe('');
    expect([status, stdout]).toSatisfy(([code, said]) => (code === 0) === (said !== ''));
    if (part !== 'spawn' && part !== 'hash') expect(status).toBe(1);
  });

  it('are asked for without a word about what is deprecated', () => {
    const { status, stdout, stderr } = evaluate(
      `import { bindingOf } from ${JSON.stringify(join(dist, 'shim/launch/node-parts.js'))};
       try { bindingOf('crypto') } catch {}
       bindingOf('process_wrap');
       console.log(process.noDeprecation);
       setTimeout(() => {}, 10);`,
    );

    expect([status, stdout, stderr]).toEqual([0, 'false\n', '']);
  });
});

describe('a refresh', () => {
  /** An installation whose first line says what its Node can do. */
  function install(name: string, parts: string): string {
    const folder = join(dir, name);
    mkdirSync(folder);
    for (const file of ['shim.cjs', 'start-compiled.cjs']) copyFileSync(join(dist, file), join(folder, file));
    evaluate(
      `import { compileAhead } from ${JSON.stringify(join(dist, 'shim/launch/compile-ahead.js'))};
       compileAhead(${JSON.stringify(folder)});`,
    );
    const [cache = ''] = readdirSync(folder).filter((file) => file.endsWith('.cache'));
    const bytes = readFileSync(join(folder, cache));
    const end = bytes.indexOf('\n');
    const line = bytes.toString('latin1', 0, end).replace(/spawn=.*/, parts);
    writeFileSync(join(folder, cache), Buffer.concat([Buffer.from(`${line}\n`), bytes.subarray(end + 1)]));
    return folder;
  }
  const found = (): string => tellParts(JSON.parse(findParts().stdout));

  it.each([
    ['with the parts that were found', found],
    ['with none', () => 'spawn= hash='],
    ['with words that nobody knows', () => 'spawn=soon hash=later more'],
  ])('starts, ends and fails alike %s', (what, parts) => {
    const folder = install(what.replace(/ /g, '-'), parts());
    const state = join(folder, 'state');
    mkdirSync(state);
    const refresh = (...command: string[]) => {
      const { status, signal, stdout, stderr } = spawnSync(
        process.execPath,
        [join(folder, 'start-compiled.cjs'), 'refresh', '--state-dir', state, '--', ...command],
        { env: { ...plainEnv, WORD: 'a b' }, encoding: 'utf8', input: 'in\n' },
      );
      return [status, signal, stdout, stderr];
    };

    expect(refresh('sh', '-c', 'cat; echo "$WORD,$1"; echo e >&2; exit 9', 'sh', 'x  y')).toEqual([
      9,
      null,
      'in\na b,x  y\n',
      'e\n',
    ]);
    expect(refresh('sh', '-c', 'kill -USR1 $$')).toEqual([null, 'SIGUSR1', '', '']);
    expect(refresh('/nonexistent/program')).toEqual([
      127,
      null,
      '',
      'drift: /nonexistent/program: command not found\n',
    ]);
    expect(refresh(folder)).toEqual([126, null, '', `drift: ${folder}: Permission denied\n`]);
  });
});

describe('digests', () => {
  it('are made in whatever way is given, and by Node where that fails', () => {
    const right = createHash('sha256').update('abc').digest('hex');
    hashBy(() => () => 'mine');
    expect(sha256('abc')).toBe('mine');

    hashBy(() => {
      throw new Error('no such part');
    });
    expect(loadHash()('abc')).toBe(right);
    expect(sha256(Buffer.from('abc'))).toBe(right);
  });

  it('random bytes never come twice', () => {
    const seen = Array.from({ length: 400 }, (_, i) => randomBytes(8 + (i % 60)).toString('hex'));

    expect(new Set(seen).size).toBe(400);
    expect(seen.map((hex, i) => hex.length / 2 - 8 - (i % 60)).every((rest) => rest === 0)).toBe(true);
  });
});
