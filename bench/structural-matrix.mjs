// Runs every round of a matrix through the structural evaluator and prints what it flags and misses.
// Usage: node bench/structural-matrix.mjs MATRIX.json [--facts] [--speed]   (needs `dist/`: node build.mjs)
// --speed adds a second, warm pass and the first change in a fresh process, each beside a baseline measured in turn with
// it: a fixed piece of work for the warm rounds, `node -e 0` for the fresh process. On a busy machine read the ratios.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { evaluateStructural } from '../dist/evaluate/structural/evaluate.js';

const [matrixFile, ...flags] = process.argv.slice(2);
if (!matrixFile) {
  console.error('usage: node bench/structural-matrix.mjs MATRIX.json [--facts]');
  process.exit(2);
}
const showFacts = flags.includes('--facts');
if (flags.includes('--first')) {
  // One change in this fresh process; the parent takes the time.
  await judgeFirst();
  process.exit(0);
}
const matrix = JSON.parse(readFileSync(matrixFile, 'utf8'));
const bytesOf = (name) => (name === null ? null : readFileSync(join(dirname(matrixFile), name)));
const structural = { constant_tests: true, restated_evidence: false, file_budget_ms: 250 };
const counts = { cosmetic: 0, cosmeticFlagged: 0, real: 0, realFlagged: 0, either: 0, eitherFlagged: 0 };
const times = [];
const inputs = [];

for (const one of matrix.cases) {
  const state = new Map(one.paths.map((path) => [path, bytesOf(one.baseline[path] ?? null)]));
  for (const [index, round] of one.rounds.entries()) {
    const files = one.paths.map((path) => ({
      path,
      role: 'declared',
      before: state.get(path),
      after: path in round.files ? bytesOf(round.files[path]) : state.get(path),
    }));
    for (const file of files) state.set(file.path, file.after);
    const started = performance.now();
    const history = { revisit: false, repetition: 1, cycle: false };
    const input = { basis: one.basis, files, history, structural };
    inputs.push(input);
    const verdict = await evaluateStructural(input);
    const took = performance.now() - started;
    times.push(took);
    const flagged = verdict.status === 'completed';
    const gold = one.gold_rounds?.[index] ?? 'either';
    counts[gold] += 1;
    if (flagged) counts[`${gold}Flagged`] += 1;
    const mark =
      gold === 'real' && flagged ? 'FALSE FLAG' : gold === 'cosmetic' && !flagged ? 'MISSED' : 'ok';
    console.log(
      `${mark.padEnd(10)} ${gold.padEnd(8)} ${flagged ? 'flagged  ' : 'abstained'} ${one.case_id} r${index + 1} ${took.toFixed(0)} ms`,
    );
    if (showFacts || mark !== 'ok')
      for (const fact of verdict.facts)
        console.log(`             ${fact.path ?? ''} ${fact.fact} ${fact.level ?? ''} ${fact.detail ?? ''}`);
  }
}
const sorted = (numbers) => numbers.toSorted((a, b) => a - b);
const at = (share, from = times) => {
  const all = sorted(from);
  return all[Math.min(all.length - 1, Math.floor(all.length * share))]?.toFixed(1);
};
console.log(
  `cosmetic flagged ${counts.cosmeticFlagged}/${counts.cosmetic}, real flagged ${counts.realFlagged}/${counts.real}, either flagged ${counts.eitherFlagged}/${counts.either}`,
);
console.log(`milliseconds a round: p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`);
process.exitCode = counts.realFlagged > 0 ? 1 : 0;
if (flags.includes('--speed')) await printSpeed();

async function judgeFirst() {
  const one = JSON.parse(readFileSync(matrixFile, 'utf8')).cases[0];
  const read = (name) => (name ? readFileSync(join(dirname(matrixFile), name)) : null);
  const files = one.paths.map((path) => ({
    path,
    role: 'declared',
    before: read(one.baseline[path]),
    after: read(one.rounds[0].files[path] ?? one.baseline[path]),
  }));
  const history = { revisit: false, repetition: 1, cycle: false };
  const structural = { constant_tests: true, restated_evidence: false, file_budget_ms: 250 };
  await evaluateStructural({ basis: one.basis, files, history, structural });
}

async function printSpeed() {
  const block = Buffer.alloc(1 << 20, 'drift');
  const small = inputs.filter(({ files }) =>
    files.every(({ before, after }) => Math.max(before?.length ?? 0, after?.length ?? 0) <= 32 * 1024),
  );
  const warm = [];
  const baseline = [];
  for (const input of small) {
    const started = performance.now();
    await evaluateStructural(input);
    warm.push(performance.now() - started);
    const from = performance.now();
    createHash('sha256').update(block).digest();
    baseline.push(performance.now() - from);
  }
  console.log(
    `warm, within 32 KiB, ${warm.length} changes: p50 ${at(0.5, warm)}, p95 ${at(0.95, warm)} ms; sha256 of 1 MiB beside it: p50 ${at(0.5, baseline)}, p95 ${at(0.95, baseline)} ms`,
  );
  const spawned = (args) => {
    const started = performance.now();
    spawnSync(process.execPath, args);
    return performance.now() - started;
  };
  const pairs = Array.from({ length: 9 }, () => [
    spawned(['-e', '0']),
    spawned([process.argv[1], matrixFile, '--first']),
  ]);
  const bare = pairs.map(([one]) => one);
  const first = pairs.map(([, other]) => other);
  const extra = pairs.map(([one, other]) => other - one);
  console.log(
    `first change in a fresh process, the process included: p50 ${at(0.5, first)} ms; node -e 0 beside it: p50 ${at(0.5, bare)} ms; difference p50 ${at(0.5, extra)}, best ${at(0, extra)} ms`,
  );
}
