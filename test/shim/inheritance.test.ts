import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepare, type Situation, sh, type Told, tell } from '../support/wrapped.ts';

const dir = mkdtempSync(join(tmpdir(), 'drift-inherit-'));
mkdirSync(join(dir, 'real'));
symlinkSync(join(dir, 'real'), join(dir, 'link'));
writeFileSync(join(dir, 'bytes'), Buffer.from(Array.from({ length: 255 }, (_, i) => i + 1)));
afterAll(() => rmSync(dir, { recursive: true }));

// Each names `refresh-state` without meaning it, for the situation in which stdout is read on its way.
const environment = ['env', '-0', '-u', 'refresh-state'];
const words = ['printf', '<%s>', 'refresh-state'];
const processStatus = (field: string): string[] => [
  'grep',
  '-e',
  field,
  '-e',
  'refresh-state',
  '/proc/self/status',
];
const openDescriptors = sh(
  'for n in 0 1 2 3 4 5 6 7 8 9 10 11 15 16 17 63 200; do [ -e /dev/fd/$n ] && echo $n; done',
);
const readDescriptors = sh('for n in 3 4 5 6 7 8 9 10 15 16 17 63 200; do cat /dev/fd/$n; done');
const allNumbers =
  'exec 3<<<3 4<<<4 5<<<5 6<<<6 7<<<7 8<<<8 9<<<9 10<<<10 15<<<15 16<<<16 17<<<17 63<<<63 200<<<200';

/** [what, bash script in which `"$@"` is the command, command] */
const surroundings: readonly (readonly [string, string, readonly string[]])[] = [
  ['the working folder', 'cd /usr; "$@"', sh('pwd; echo "$PWD"')],
  ['a working folder that is a link', `cd ${dir}/link; "$@"`, sh('echo "$PWD"')],
  ['a deleted working folder', `mkdir ${dir}/gone; cd ${dir}/gone; rmdir ${dir}/gone; "$@"`, words],
  ['that and an ignored signal', `trap "" PIPE; mkdir ${dir}/g; cd ${dir}/g; rmdir ${dir}/g; "$@"`, words],
  ['the file mode mask', 'umask 027; "$@"', sh('umask')],
  ['niceness', 'nice -n 5 "$@"', sh('nice')],
  ['the soft limit on open files', 'ulimit -Sn 256; "$@"', sh('ulimit -Sn; ulimit -Hn')],
  ['the hard limit on open files', 'ulimit -n 300; "$@"', sh('ulimit -Sn; ulimit -Hn')],
  ['limits on core files', 'ulimit -Sc "$(ulimit -Hc)"; "$@"', sh('ulimit -Sc; ulimit -Hc')],
  ['no ignored signal', '"$@"', processStatus('SigIgn')],
  ['ignored signals', 'trap "" HUP QUIT PIPE USR2; "$@"', processStatus('SigIgn')],
  ['an ignored real-time signal', 'trap "" 40; "$@"', processStatus('SigIgn')],
  ['what nohup does', 'nohup "$@" </dev/null', processStatus('SigIgn')],
  ['blocked signals', 'env --block-signal=USR2,TERM "$@"', processStatus('SigBlk')],
  [
    'the process group',
    'GROUP=$(cut -d" " -f5 /proc/$$/stat) "$@"',
    sh('[ "$(cut -d" " -f5 /proc/$$/stat)" = "$GROUP" ]; echo $?'),
  ],
  ['the session', 'setsid -w "$@"', sh('cut -d" " -f7 /proc/$$/stat; echo out')],
  ['the three usual descriptors only', '"$@"', openDescriptors],
  ['a closed stdin', '"$@" <&-', openDescriptors],
  ['a closed stderr', '"$@" 2>&-', openDescriptors],
  ['stdin and stderr closed', '"$@" <&- 2>&-', openDescriptors],
  ['stdout closed', `"$@" >&- 2>${dir}/err; cat ${dir}/err`, sh('[ -e /dev/fd/1 ] || echo closed >&2')],
  [
    'all three closed',
    `"$@" <&- >&- 2>&-; cat ${dir}/said`,
    sh(`[ -e /dev/fd/0 ] || [ -e /dev/fd/1 ] || [ -e /dev/fd/2 ] || echo >${dir}/said closed`),
  ],
  ['open descriptors', `${allNumbers}; "$@"`, openDescriptors],
  ['what open descriptors hold', `${allNumbers}; "$@"`, readDescriptors],
  ['open descriptors and an ignored signal', `trap "" PIPE; ${allNumbers}; "$@"`, readDescriptors],
  ['a process substitution', '"$@" <(echo substituted)', sh('cat "$1"')],
  [
    'the name by which it was called',
    '"$@"',
    ['grep', '-ae', '.', '-e', 'refresh-state', '/proc/self/cmdline'],
  ],
  [
    'the environment',
    `export EMPTY= MULTI=$'l1\\nl2' QUOTE="'\\"\\$x\\\`" UTF=ü€ NODE_ENV=x UV_X=y; "$@"`,
    environment,
  ],
  ['an empty environment', 'exec env -i PATH="$PATH" "$@"', environment],
  ['an environment without PWD, ignoring a signal', 'trap "" PIPE; exec env -u PWD "$@"', environment],
  [
    'names that are no identifiers',
    'exec env A-B=1 a.b=2 1X=3 "x y=4" npm_config_//r/:x=5 "$@"',
    environment,
  ],
  ['such names and an ignored signal', 'trap "" PIPE; exec env A-B=1 1X=3 "$@"', environment],
  ['exported functions', `f() { echo "it's"; }; export -f f; "$@"`, ['bash', '-c', 'f', 'refresh-state']],
  ['a PWD that is not true', 'cd /usr; exec env PWD=/nowhere "$@"', environment],
  ['such a PWD and an ignored signal', 'trap "" PIPE; cd /usr; exec env PWD=/nowhere "$@"', environment],
  ["a shell's own variables", 'exec env IFS=x OPTIND=7 PPID=8 SHLVL=5 OLDPWD=/q _=u "$@"', environment],
  // Of the same length, so that counting bytes does not tell.
  ["a number of the shell's own", 'exec env PPID="$(echo "$PPID" | tr 0-9 1-90)" "$@"', environment],
  ["a place of the shell's own", 'exec env OPTIND=7 "$@"', environment],
  ['quotes as long as a name that is no identifier', `exec env A-B=abc Q="it's" R="it's" "$@"`, environment],
  ['what bash says of itself', 'exec env BASH_VERSION=5 "$@"', environment],
  [
    'such variables and an ignored signal',
    'trap "" PIPE; exec env IFS=x OPTIND=7 PPID=8 SHLVL=5 "$@"',
    environment,
  ],
  [
    'variables with the names of the launcher',
    'exec env name=1 self=2 link=3 fds=4 drift_home=5 drift_fds=6 "$@"',
    environment,
  ],
  [
    'a value that looks like a listing',
    `export X=$'1\\nexport NODE_$(touch ${dir}/evil)=2'; "$@"; ls ${dir}/evil`,
    environment,
  ],
  [
    'arguments that are not UTF-8',
    `"$@" $'caf\\xe9' plain $'\\xff\\xfe' "it's" "" $'new\\nline\\n' $'-\\x80'`,
    words,
  ],
  ['every byte in an argument', `"$@" "$(cat ${dir}/bytes)"`, words],
  [
    'variables that are not UTF-8',
    `export XX=$'caf\\xe9' YY="q'q"; exec env $'A-\\xe9=\\xe8' "$@"`,
    environment,
  ],
  ['a hidden variable that is not UTF-8', `export NODE_X=$'caf\\xe9'; "$@"`, environment],
  ['bytes and an ignored signal', `trap "" PIPE; export XX=$'caf\\xe9'; "$@" $'A=\\xe9'`, environment],
];

/** Runs a command below a shell. bash itself exports the path of what it starts. */
async function below(script: string, command: readonly string[]) {
  const { out, ...told }: Told = await tell(['bash', '--norc', '-c', script, 'bash', ...command]);
  const variables = out
    .toString('latin1')
    .split('\0')
    .filter((variable) => !variable.startsWith('_=/'));
  return { ...told, out: variables.sort() };
}

describe.each(['none', 'idle', 'loopx'] as const)('a wrapped command, situation %s', (name) => {
  let situation: Situation;
  beforeAll(async () => {
    situation = await prepare(name, dir);
  });

  it.each(surroundings)('inherits %s', async (_what, script, command) => {
    const bare = await below(script, command);

    const wrapped = await below(script, situation.wrap(command));

    expect(wrapped).toEqual(bare);
  });
});
