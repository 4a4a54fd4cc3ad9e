import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainEnv, prepare, type Situation, sh } from '../support/wrapped.ts';

const helper = fileURLToPath(new URL('on-terminal.py', import.meta.url));
const hasTerminal = spawnSync('python3', ['-c', 'import pty']).status === 0;
if (!hasTerminal) console.error('NOT RUN: test/shim/terminal.test.ts needs python3 with its pty module');

const dir = mkdtempSync(join(tmpdir(), 'drift-terminal-'));
afterAll(() => rmSync(dir, { recursive: true }));

type Step = readonly [waitFor: string, action: string | { readonly resize: readonly [number, number] }];

function onTerminal(command: readonly string[], steps: readonly Step[] = []): unknown {
  const { stdout, stderr } = spawnSync('python3', [helper, JSON.stringify({ command, steps })], {
    env: plainEnv,
    cwd: dir,
  });
  if (stderr.length > 0) throw new Error(stderr.toString());
  // A shell tells the number of a job's process.
  return JSON.parse(stdout.toString().replace(/\[1\] \d+/, '[1]'));
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_Z = '\u001a';
const CTRL_BACKSLASH = '\u001c';

/** Counts what it hears for a second after the first signal, then leaves with 7. */
const counter = sh(
  // The shell remarks on a sleep that a signal ended, if there was one at that moment.
  `exec 2>/dev/null
   for n in INT QUIT TERM HUP WINCH CONT; do trap "heard=\\"\\$heard $n\\"" $n; done
   echo ready; i=0; while [ -z "$heard" ] && [ $i -lt 100 ]; do sleep .05; i=$((i+1)); done
   sleep .5; sleep .5; echo "heard$heard"; exit 7`,
);
/** As an interactive shell starts a job, looks at it, and takes it back. */
const asJob = (command: readonly string[]): string[] => [
  'bash',
  '--norc',
  '-ic',
  '"$@"; echo "status $?"; fg >/dev/null 2>&1; echo "then $?"; exit 0',
  'bash',
  ...command,
];
const inBackground = (command: readonly string[]): string[] => [
  'bash',
  '--norc',
  '-ic',
  '"$@" & sleep 1; jobs | cut -c1-20; fg >/dev/null; echo "then $?"; exit 0',
  'bash',
  ...command,
];
const beforeLooking = (command: readonly string[]): string[] => [
  'bash',
  '--norc',
  '-c',
  '"$@"; stty -a | grep -o -e "-echo " -e "-icanon"',
  'bash',
  ...command,
];

const same = (command: readonly string[]): readonly string[] => command;

/** [what, what stands around the command, command, steps] */
const cases: readonly (readonly [
  string,
  (command: readonly string[]) => readonly string[],
  readonly string[],
  readonly Step[],
])[] = [
  [
    'that its descriptors are terminals of that size, in the foreground',
    same,
    sh('for n in 0 1 2; do [ -t $n ] && echo $n; done; stty size; tty; ps -o stat= -p $$ | tr -dc +'),
    [],
  ],
  [
    'its stdout alone on the terminal',
    (command) => ['sh', '-c', '"$@" </dev/null 2>/dev/null', 'sh', ...command],
    sh('[ -t 0 ] || [ -t 2 ] || [ -t 1 ] && echo tty'),
    [],
  ],
  ['colours', same, sh('ls --color=auto -d /'), []],
  ['Ctrl-C once', same, counter, [['ready', CTRL_C]]],
  ['Ctrl-C that ends it', same, sh('echo ready; exec sleep 20'), [['ready', CTRL_C]]],
  ['Ctrl-\\ once', same, counter, [['ready', CTRL_BACKSLASH]]],
  ['a new size once', same, counter, [['ready', { resize: [20, 50] }]]],
  [
    'a question with the echo off',
    same,
    sh('stty -echo; printf "word: "; read a; stty echo; printf "name: "; read b; echo "$a $b"'),
    [
      ['word: ', 'abc\n'],
      ['name: ', 'zed\n'],
    ],
  ],
  ['the end of input', same, sh('echo ready; cat; echo end; exit 3'), [['ready', `one\n${CTRL_D}`]]],
  [
    'Ctrl-Z, and being taken back',
    asJob,
    sh('echo ready; i=0; while [ $i -lt 20 ]; do sleep .1; i=$((i+1)); done; echo end; exit 6'),
    [['ready', CTRL_Z]],
  ],
  [
    'that it does not stop at Ctrl-Z',
    asJob,
    sh('trap "" TSTP; echo ready; sleep 1; sleep 1; echo end; exit 6'),
    [['ready', CTRL_Z]],
  ],
  ['that it stopped itself', asJob, sh('echo ready; kill -TSTP $$; echo resumed; exit 5'), []],
  [
    'that it reads in the background',
    inBackground,
    sh('read x; echo "got $x"; exit 4'),
    [['Stopped', 'hello\n']],
  ],
  ['what it did to the terminal, after its end', beforeLooking, sh('stty -echo -icanon'), []],
  ['what it did to the terminal, after its death', beforeLooking, sh('stty -echo; kill -TERM $$'), []],
];

describe.runIf(hasTerminal)('on a terminal', () => {
  describe.each(['idle', 'loopx'] as const)('situation %s', (name) => {
    let situation: Situation;
    beforeAll(async () => {
      situation = await prepare(name, dir);
    });

    it.each(cases)('a wrapped command shows %s', (_what, around, command, steps) => {
      const bare = onTerminal(around(command), steps);

      const wrapped = onTerminal(around(situation.wrap(command)), steps);

      expect(wrapped).toEqual(bare);
    });
  });
});
