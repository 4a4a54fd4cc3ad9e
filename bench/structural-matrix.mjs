// Runs every round of a matrix through the structural evaluator and prints what it flags and misses.
// Usage: node bench/structural-matrix.mjs MATRIX.json [--facts]   (needs `dist/`: node build.mjs)
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { evaluateStructural } from '../dist/evaluate/structural/evaluate.js';

const [matrixFile, ...flags] = process.argv.slice(2);
if (!matrixFile) {
  console.error('usage: node bench/structural-matrix.mjs MATRIX.json [--facts]');
  process.exit(2);
}
const showFacts = flags.includes('--facts');
const matrix = JSON.parse(readFileSync(matrixFile, 'utf8'));
const bytesOf = (name) => (name === null ? null : readFileSync(join(dirname(matrixFile), name)));
const structural = { constant_tests: true, restated_evidence: false, file_budget_ms: 250 };
const counts = { cosmetic: 0, cosmeticFlagged: 0, real: 0, realFlagged: 0, either: 0, eitherFlagged: 0 };
const times = [];

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
    const verdict = await evaluateStructural({ basis: one.basis, files, history, structural });
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
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]?.toFixed(1);
console.log(
  `cosmetic flagged ${counts.cosmeticFlagged}/${counts.cosmetic}, real flagged ${counts.realFlagged}/${counts.real}, either flagged ${counts.eitherFlagged}/${counts.either}`,
);
console.log(`milliseconds a round: p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`);
process.exitCode = counts.realFlagged > 0 ? 1 : 0;
