import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainEnv, prepare, type Situation, sh, situations, type Told, tell } from '../support/wrapped.ts';

const dir = mkdtempSync(join(tmpdir(), 'drift-pass-'));
const everyByte = Buffer.from(Array.from({ length: 256 * 1_000 }, (_, i) => i % 256));
writeFileSync(join(dir, 'bytes'), everyByte);
writeFileSync(join(dir, 'lines'), 'l1\nl2\nl3\n');
mkdirSync(join(dir, 'bin'));
for (const name of ['007', 'loopx', '-x']) {
  writeFileSync(join(dir, 'bin', name), '#!/bin/sh\nprintf "<%s>" "$0" "$@" | sed "s,[^<]*/,,"\n');
  chmodSync(join(dir, 'bin', name), 0o755);
}

afterAll(() => rmSync(dir, { recursive: true }));

const argumentsOfAllKinds = [
  '',
  ' ',
  'a b',
  '"q"',
  "it's",
  'new\nline',
  '\t',
  '-x',
  '--',
  '--help',
  '--state-dir',
  '$HOME',
  '`id`',
  '*',
  '\\',
  'ü€😀',
  'a=b',
  '1e3',
  '0x10',
  '007',
  '-0',
  'null',
  '--',
  '',
];

/** [what, command]: a caller must not be able to tell the command from the wrapped one. */
const commands: readonly (readonly [string, readonly string[]])[] = [
  ...[0, 1, 2, 7, 64, 126, 127, 128, 137, 143, 255].map(
    (code) => [`exit status ${code}`, sh(`echo out; echo err >&2; exit ${code}`)] as const,
  ),
  ...[
    'HUP',
    'INT',
    'QUIT',
    'ABRT',
    'KILL',
    'USR1',
    'SEGV',
    'USR2',
    'PIPE',
    'ALRM',
    'TERM',
    'XFSZ',
    'SYS',
  ].map((name) => [`death by SIG${name}`, sh(`echo out; kill -${name} $$; sleep 5`)] as const),
  ['bytes of every value', sh('cat "$1"', join(dir, 'bytes'))],
  ['no output', sh('true')],
  ['output without a newline', sh('printf end')],
  ['bytes of every value on stderr', sh('cat "$1" >&2; echo out', join(dir, 'bytes'))],
  ['arguments of all kinds', sh('printf "<%s>" "$@"', ...argumentsOfAllKinds)],
  [
    '2000 arguments',
    sh('printf "<%s>" "$@"', ...Array.from({ length: 2_000 }, (_, i) => `${i}${'x'.repeat(50)}`)),
  ],
  [
    'stdout and stderr opened by name',
    sh('echo a; echo b > /dev/stdout; echo c > /dev/stderr; echo d | tee /dev/stderr'),
  ],
  ['the type of stdout', sh('stat -Lc %F /dev/fd/1')],
  ['a program whose name is a number', ['007', 'refresh-state', '1e3']],
  ['a program whose name is an option', ['-x', 'refresh-state']],
  ['a calling form of the seeds', ['loopx', 'refresh-state', '--goal-id', 'g']],
];

/** A string is compared, and shown, a hundred times faster than a Buffer. */
const readable = ({ out, ...told }: Told) => ({ ...told, out: out.toString('latin1') });

describe.each(situations)('a wrapped command, situation %s', (name) => {
  let situation: Situation;
  beforeAll(async () => {
    situation = await prepare(name, dir);
  });
  const env = { ...plainEnv, PATH: `${join(dir, 'bin')}:${plainEnv['PATH']}` };

  it.each(commands)('shows its caller %s unchanged', async (_what, command) => {
    const bare = await tell(command, { env });

    const wrapped = await tell(situation.wrap(command), { env });

    expect(readable(wrapped)).toEqual(readable(bare));
  });

  it('reads all of stdin', async () => {
    const wrapped = await tell(situation.wrap(sh('cat')), {
      stdin: Buffer.concat(Array(12).fill(everyByte)),
    });

    expect(wrapped.out.equals(Buffer.concat(Array(12).fill(everyByte)))).toBe(true);
  });

  it('reads no more of stdin than the command does', async () => {
    const script = '{ "$@"; cat; } < "$0"';

    const wrapped = await tell([
      'sh',
      '-c',
      script,
      join(dir, 'lines'),
      ...situation.wrap(sh('read x; echo "got $x"')),
    ]);

    expect(wrapped.out.toString()).toBe('got l1\nl2\nl3\n');
  });

  it('keeps the order of stdout and stderr where both are one pipe', async () => {
    const command = sh('i=0; while [ $i -lt 300 ]; do echo "o$i"; echo "e$i" >&2; i=$((i+1)); done');
    const bare = await tell(command, { merge: true });

    const wrapped = await tell(situation.wrap(command), { merge: true });

    expect(wrapped.out.toString()).toBe(bare.out.toString());
  });

  it('writes to a file where the caller left off', async () => {
    const files = ['>', '>>'].map((how) => {
      const file = join(dir, `${name}-written`);
      writeFileSync(file, 'kept\n');
      spawnSync(
        'sh',
        ['-c', `{ echo A; "$@"; echo C; } ${how} "$0"`, file, ...situation.wrap(sh('echo B'))],
        { env: plainEnv },
      );
      return readFileSync(file, 'utf8');
    });

    expect(files).toEqual(['A\nB\nC\n', 'kept\nA\nB\nC\n']);
  });

  it('lets the command alone meet a full device', async () => {
    const full = openSync('/dev/full', 'w');
    const command = situation.wrap(sh('echo hi 2>/dev/null; echo "rc $?" >&2; exit 8'));

    const { status, stderr } = spawnSync(command[0] ?? '', command.slice(1), {
      stdio: ['ignore', full, 'pipe'],
      env: plainEnv,
    });
    closeSync(full);

    expect([status, stderr.toString()]).toEqual([8, 'rc 1\n']);
  });

  it.each([
    ['is not found', ['no-such-program', 'refresh-state'], 127],
    ['is a folder', ['/', 'refresh-state'], 126],
    ['may not be run', [join(dir, 'bytes'), 'refresh-state'], 126],
  ])('ends with one line and the status of a shell when the program %s', async (_why, command, code) => {
    const wrapped = await tell(situation.wrap(command));

    expect(wrapped).toMatchObject({ code, signal: null });
    expect(wrapped.err.split('\n')).toHaveLength(2);
  });
});
