#!/usr/bin/env node
// What `drift refresh` costs, as ratios to `node -e 0`, to the same wrapper written with execa, yargs and zod (bundled,
// bench/baselines/), and to `python3 -c pass`. Commands are started in turn, forwards and then backwards; each ratio is
// taken round by round and the median is shown, so that a busy machine shifts all of them alike.
// Usage: node bench/overhead.mjs [--rounds N] [--mebibytes N]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const { values: given } = parseArgs({
  options: { rounds: { type: 'string', default: '11' }, mebibytes: { type: 'string', default: '1024' } },
});
const rounds = Number(given.rounds);
const root = fileURLToPath(new URL('..', import.meta.url));
const drift = join(root, 'bin', 'drift');
const dir = mkdtempSync(join(tmpdir(), 'drift-overhead-'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));

// NODE_EXTRA_CA_CERTS alone can triple the start of Node, and so make any wrapper look cheap.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE_|DRIFT)/.test(name)));

/** Seconds on the clock and on the processor, children included. stdout is a pipe, as a host's is. */
function measure(argv) {
  const script =
    'TIMEFORMAT="%R %U %S"; exec 3> >(exec cat >/dev/null); { time "$@" >&3 2>/dev/null 3>&-; } 2>&1';
  const { status, stdout } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [wall, user, system] = stdout.toString().trim().split(' ').map(Number);
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}`);
  return { wall, cpu: user + system };
}

/** Mebibytes that a process held at most; read from the outside, so its command has to take a moment. */
function peakOf(argv) {
  return new Promise((resolve) => {
    const child = spawn(argv[0], argv.slice(1), { env, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    let peak = 0;
    const look = () => {
      const line = /VmHWM:\s+(\d+)/.exec(read(`/proc/${child.pid}/status`))?.[1];
      if (line) peak = Number(line) / 1024;
    };
    const timer = setInterval(look, 5);
    child.on('exit', () => {
      clearInterval(timer);
      resolve(peak);
    });
  });
}

const read = (file) => (existsSync(file) ? safely(() => readFileSync(file, 'utf8')) : '');
function safely(look) {
  try {
    return look();
  } catch {
    return '';
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function bundleNaive() {
  const bundle = await rolldown({ input: join(root, 'bench/baselines/naive-wrapper.mjs'), platform: 'node' });
  const file = join(dir, 'naive.mjs');
  await bundle.write({ file, format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  return file;
}

/** Declared files of one size in a folder of their own, with an observer and a list for the naive wrapper. */
function observe(name, count, bytes, host = 'generic') {
  const [work, state, spool] = ['work', 'state', 'spool'].map((part) => join(dir, name, part));
  for (const folder of [work, spool]) mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: count }, (_, i) => join(work, `file${i}.txt`));
  const fill = (file, salt) => writeFileSync(file, `${salt}\n`.padEnd(bytes, `a line of ${name}\n`));
  for (const [i, file] of files.entries()) fill(file, i);
  writeFileSync(join(dir, name, 'files.json'), JSON.stringify(files));
  const config = join(dir, name, 'config.json');
  const scope = { max_files: Math.max(200, count), max_bytes: 1 << 26, max_delta_bytes: 1 << 26 };
  writeFileSync(config, JSON.stringify({ schema_version: 'drift_config_v1', scope }), { mode: 0o600 });
  const words = [
    '--objective',
    'Retry a failed download',
    '--acceptance',
    'At most three retries happen',
    '--glob',
    '**',
  ];
  const init = spawnSync(
    drift,
    ['init', '--state-dir', state, '--workspace', work, '--host', host, '--config', config, ...words],
    { env },
  );
  if (init.status !== 0) throw new Error(`init: ${init.stderr}`);
  let turn = 0;
  return {
    changeOne: () => {
      turn += 1;
      fill(files[turn % count], `turn ${turn}`);
    },
    changeOneTouchAll() {
      this.changeOne();
      const now = Date.now() / 1_000;
      for (const file of files) utimesSync(file, now, now);
    },
    refresh: (...command) => [
      drift,
      'refresh',
      '--state-dir',
      state,
      '--config',
      config,
      '--turn-id',
      `t${turn}`,
      '--',
      ...command,
    ],
    naive: (file, ...command) => [
      process.execPath,
      file,
      'refresh',
      '--spool',
      spool,
      '--files',
      join(dir, name, 'files.json'),
      '--',
      ...command,
    ],
  };
}

const spawnTrue = "require('child_process').spawn('/bin/true',{stdio:'inherit'})";
const idle = () => undefined;

async function main() {
  const naive = await bundleNaive();
  const none = (...command) => [drift, 'refresh', '--state-dir', join(dir, 'none'), '--', ...command];
  mkdirSync(join(dir, 'empty'));
  const empty = (...command) => [drift, 'refresh', '--state-dir', join(dir, 'empty'), '--', ...command];
  const [small, large, many] = [
    observe('small', 32, 1_024),
    observe('large', 32, 1 << 20),
    observe('many', 1_000, 1_024),
  ];
  const hasPython = spawnSync('python3', ['-c', 'pass']).status === 0;
  /** [what, what happens before, the command] */
  const rows = [
    ['node -e 0', idle, () => ['node', '-e', '0']],
    ['node that spawns true', idle, () => ['node', '-e', spawnTrue]],
    ...(hasPython ? [['python3 -c pass', idle, () => ['python3', '-c', 'pass']]] : []),
    ['naive wrapper', idle, () => [process.execPath, naive, 'refresh', '--', 'true']],
    ['drift, no observer', idle, () => none('true')],
    ['drift, an empty state', idle, () => empty('true')],
    ['naive wrapper, 32 x 1 KiB', small.changeOne, () => small.naive(naive, 'true')],
    ['drift, 32 x 1 KiB', small.changeOne, () => small.refresh('true')],
    ['naive wrapper, 32 x 1 MiB', large.changeOne, () => large.naive(naive, 'true')],
    ['drift, 32 x 1 MiB warm', large.changeOne, () => large.refresh('true')],
    ['drift, 32 x 1 MiB cold', () => large.changeOneTouchAll(), () => large.refresh('true')],
    ['naive wrapper, 1000 x 1 KiB', many.changeOne, () => many.naive(naive, 'true')],
    ['drift, 1000 x 1 KiB', many.changeOne, () => many.refresh('true')],
  ];
  const measured = new Map(rows.map(([what]) => [what, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [what, prepare, command] of round % 2 ? rows : rows.toReversed()) {
      prepare();
      const result = measure(command());
      if (round > 0) measured.get(what).push(result);
    }
  }
  printRatios(
    rows.map(([what]) => what),
    measured,
    hasPython,
  );
  await printPeaks([
    ['node -e', () => ['node', '-e', 'setTimeout(()=>{},200)']],
    ['naive wrapper', () => [process.execPath, naive, 'refresh', '--', 'sleep', '.2']],
    ['drift, an empty state', () => empty('sleep', '.2')],
    ['drift, 32 x 1 KiB', () => small.refresh('sleep', '.2')],
  ]);
  await printThroughput(naive, empty);
}

function printRatios(names, measured, hasPython) {
  const ratio = (what, to, part) =>
    median(measured.get(what).map((one, i) => one[part] / measured.get(to)[i][part]));
  const figure = (value) => value.toFixed(2).padStart(7);
  console.log('ratio to              node -e 0         naive wrapper     python3 -c pass');
  console.log('                      wall    CPU       wall    CPU       wall    CPU');
  for (const what of names) {
    const count = /, (\d+ x [^ ]+ \S+)/.exec(what)?.[1];
    const twin = count ? `naive wrapper, ${count}` : 'naive wrapper';
    const bases = ['node -e 0', twin, ...(hasPython ? ['python3 -c pass'] : [])];
    const columns = bases.map(
      (base) => `${figure(ratio(what, base, 'wall'))}${figure(ratio(what, base, 'cpu'))}`,
    );
    console.log(`${what.padEnd(28)}${columns.join('    ')}`);
  }
}

async function printPeaks(rows) {
  console.log('\npeak memory, MiB');
  for (const [what, command] of rows) {
    const peaks = [];
    for (let i = 0; i < 3; i += 1) peaks.push(await peakOf(command()));
    console.log(`${what.padEnd(28)}${median(peaks).toFixed(0).padStart(7)}`);
  }
}

/** Where drift reads stdout on its way (a LoopX host), and where it does not. */
async function printThroughput(naive, passThrough) {
  const bytes = String(Number(given.mebibytes) * 1_048_576);
  const loopx = observe('loopx', 1, 1_024, 'loopx');
  const produce = ['sh', '-c', 'exec head -c "$1" /dev/zero', 'refresh-state', bytes];
  console.log(`\n${given.mebibytes} MiB through a pipe: seconds, ratio to bare, peak MiB`);
  let bare = 0;
  for (const [what, argv] of [
    ['bare', produce],
    ['naive wrapper', [process.execPath, naive, 'refresh', '--', ...produce]],
    ['drift', passThrough(...produce)],
    ['drift, stdout read', loopx.refresh(...produce)],
  ]) {
    const { wall } = measure(argv);
    const peak = await peakOf(argv);
    bare ||= wall;
    console.log(
      `${what.padEnd(28)}${wall.toFixed(2).padStart(7)}${(wall / bare).toFixed(2).padStart(7)}${peak.toFixed(0).padStart(7)}`,
    );
  }
}

await main();
