// What one observer costs as its history grows: system calls and wall time of an enqueue, `status`, the start of a drain,
// the look-up of a turn that was there before, bytes per event. The history is built without syncs, so that 100 000 events take
// a minute; everything that is measured syncs as it always does. Exit 1 when a curve is not flat by the targets.
// Usage: node bench.mjs [--sizes 10,1000,10000,100000] [--runs 15] [--json]
import { spawnSync } from 'node:child_process';
import fs, { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { seenBefore } from '../../dist/spool/markers.js';
import { readEvent } from '../../dist/spool/read-event.js';
import { LongHistory, TEXT_BYTES } from './long-history.mjs';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10,1000,10000,100000' },
    runs: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
  },
});
const sizes = values.sizes.split(',').map(Number);
const runs = Number(values.runs);
const drift = new URL('../../bin/drift', import.meta.url).pathname;
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(DRIFT|NODE_)/.test(name)));
const hasStrace = spawnSync('strace', ['-V']).status === 0;

const say = (text) => process.stderr.write(`bench: ${text}\n`);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function time(argv, cwd) {
  const start = performance.now();
  const { status, stderr } = spawnSync(argv[0], argv.slice(1), {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - start;
}

/** Medians by program of runs that go round: a busy machine slows all of them alike. */
function compareTimes(programs, cwdOf) {
  const taken = programs.map(() => []);
  for (let n = 0; n < runs; n += 1)
    for (const [at, { argv, prepare }] of programs.entries()) {
      prepare?.();
      taken[at].push(time(argv, cwdOf(at)));
    }
  return taken.map(median);
}

/** Calls that an enqueue makes through the io, which is all that it does with files. */
function countCalls(history) {
  let calls = 0;
  const io = Object.fromEntries(
    Object.entries(fs).map(([name, call]) => [
      name,
      typeof call === 'function'
        ? (...words) => {
            calls += 1;
            return call(...words);
          }
        : call,
    ]),
  );
  history.add(io, `counted-${process.hrtime.bigint()}`);
  return calls;
}

/** System calls of a whole refresh that name the state directory, and its syncs, by strace; null where there is none. */
function traceRefresh(argv, { cwd, state, base }) {
  if (!hasStrace) return null;
  const file = join(base, 'trace');
  spawnSync('strace', ['-f', '-e', 'trace=file,fsync,fdatasync', '-o', file, ...argv], {
    cwd,
    env,
    stdio: 'ignore',
  });
  const lines = readFileSync(file, 'utf8').split('\n');
  const named = lines.filter((line) => line.includes(`"${state}`) && !line.includes('resumed'));
  return { named: named.length, syncs: lines.filter((line) => /\bf(data)?sync\(/.test(line)).length };
}

/** Bytes that the files of the chain hold, and what the disk sets aside for the whole state. */
function sizesOf(state) {
  let bytes = 0;
  let blocks = 0;
  const seen = new Set();
  const walk = (folder, isChain) => {
    for (const name of fs.readdirSync(folder)) {
      const stat = lstatSync(join(folder, name));
      if (stat.isDirectory()) walk(join(folder, name), isChain);
      else if (!seen.has(stat.ino)) {
        seen.add(stat.ino);
        bytes += isChain ? stat.size : 0;
        blocks += stat.blocks * 512;
      }
    }
  };
  walk(join(state, 'ev'), true);
  walk(state, false);
  return { bytes, blocks };
}

function microseconds(count, work) {
  const taken = Array.from({ length: count }, (_, n) => {
    const start = performance.now();
    work(n);
    return (performance.now() - start) * 1_000;
  });
  return median(taken);
}

/** One observer with a history of `size` events. */
function makeSubject(size, base) {
  const [work, state] = [join(base, `work-${size}`), join(base, `state-${size}`)];
  mkdirSync(work);
  const file = join(work, 'a.txt');
  writeFileSync(file, 'start\n');
  writeFileSync(join(base, 'basis.json'), '{"objective":"o","acceptance":["a"]}');
  const words = ['--workspace', work, '--basis', join(base, 'basis.json'), '--path', 'a.txt'];
  time([drift, 'init', '--state-dir', state, ...words], work);
  const history = new LongHistory(state);
  const start = performance.now();
  history.build(size, (built) => say(`${built} of ${size} built`));
  say(`${size} built in ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  let turn = 0;
  const change = () => {
    turn += 1;
    writeFileSync(file, `${turn}\n`.padEnd(TEXT_BYTES, 'x'));
  };
  return { size, work, state, history, change };
}

/** What can be measured without another process. */
function measureInside({ size, work, state, history, change }, base) {
  const { layout } = history.loaded;
  const seen = seenBefore(fs, layout);
  const early = readEvent(fs, layout, 1).stored.event.event_id;
  change();
  const { bytes, blocks } = sizesOf(state);
  return {
    events: size,
    calls: countCalls(history),
    trace: traceRefresh([drift, 'refresh', '--state-dir', state, '--', 'true'], { cwd: work, state, base }),
    enqueue_us: microseconds(runs * 4, (n) => history.add(fs, `timed-${n}`)),
    duplicate_us: microseconds(200, () => seen.event(early)),
    bytes: Math.round(bytes / size),
    disk_bytes: Math.round(blocks / size),
  };
}

async function measure(subjects, base) {
  const rows = subjects.map((subject) => measureInside(subject, base));
  const node = { argv: [process.execPath, '-e', '0'] };
  const cwdOf = (at) => subjects[at]?.work ?? base;
  const go = (name, words, prepares) => {
    say(`timing ${name}`);
    const programs = subjects.map(({ state, change }) => ({
      argv: words(state),
      prepare: prepares ? change : undefined,
    }));
    const times = compareTimes([...programs, node], cwdOf);
    for (const [at, row] of rows.entries()) row[name] = { ms: times[at], ratio: times[at] / times.at(-1) };
  };
  go('refresh', (state) => [drift, 'refresh', '--state-dir', state, '--', 'true'], true);
  for (const { history } of subjects) await history.drain(fs);
  go('status', (state) => [drift, 'status', '--json', '--state-dir', state]);
  go('drain', (state) => [drift, 'drain', '--json', '--state-dir', state]);
  return rows;
}

/** By the contract: as many calls, an enqueue within 1.2 and `status` within 1.5 of what they cost at the smallest size. */
function brokenTargets(rows) {
  const [first] = rows;
  return rows.flatMap((row) => [
    ...(row.calls === first.calls
      ? []
      : [`${row.events}: an enqueue makes ${row.calls} calls, not ${first.calls}`]),
    ...(row.refresh.ratio / first.refresh.ratio <= 1.2
      ? []
      : [`${row.events}: a refresh costs ${(row.refresh.ratio / first.refresh.ratio).toFixed(2)} times`]),
    ...(row.status.ratio / first.status.ratio <= 1.5
      ? []
      : [`${row.events}: status costs ${(row.status.ratio / first.status.ratio).toFixed(2)} times`]),
  ]);
}

function print(rows) {
  const head = [
    'events',
    'io calls',
    'strace: calls/syncs',
    'enqueue µs',
    'refresh ms (÷ node)',
    'status ms (÷ node)',
    'drain start ms (÷ node)',
    'duplicate µs',
    'chain bytes',
    'disk bytes',
  ];
  const table = new Table({ head, style: { head: [], border: [] } });
  const wall = ({ ms, ratio }) => `${Math.round(ms)} (${ratio.toFixed(2)})`;
  for (const row of rows)
    table.push(
      [
        row.events,
        row.calls,
        row.trace ? `${row.trace.named}/${row.trace.syncs}` : 'no strace',
        Math.round(row.enqueue_us),
        wall(row.refresh),
        wall(row.status),
        wall(row.drain),
        row.duplicate_us.toFixed(1),
        row.bytes,
        row.disk_bytes,
      ].map(String),
    );
  console.log(
    `History built without syncs; every event changes one file of ${TEXT_BYTES} bytes. Medians of ${runs} runs; bytes are per event.`,
  );
  console.log(table.toString());
}

const base = mkdtempSync(join(tmpdir(), 'drift-bench-'));
try {
  const subjects = [];
  for (const size of sizes) subjects.push(makeSubject(size, base));
  const rows = await measure(subjects, base);
  const broken = brokenTargets(rows);
  if (values.json) console.log(JSON.stringify({ rows, broken }));
  else {
    print(rows);
    for (const line of broken) console.log(line);
  }
  process.exitCode = broken.length === 0 ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
