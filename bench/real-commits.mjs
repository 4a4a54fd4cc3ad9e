// Studies real history: how many commits that say they fix or add something would be flagged as cosmetic?
// Usage: node bench/real-commits.mjs [--max N] [--each-file] [--message-as-goal] [--subject REGEXP] [--diffs] REPO…
// REPO is a git directory or work tree. Needs `dist/` (node build.mjs). Prints every flagged commit to be read.
import { spawnSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { codeLanguageOf } from '../dist/evaluate/structural/code-language.js';
import { evaluateStructural } from '../dist/evaluate/structural/evaluate.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    max: { type: 'string', default: '150' },
    'each-file': { type: 'boolean', default: false },
    'message-as-goal': { type: 'boolean', default: false },
    subject: { type: 'string', default: '^(fix|feat|add|implement|support)' },
    diffs: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0) {
  console.error(
    'usage: node bench/real-commits.mjs [--max N] [--each-file] [--message-as-goal] [--diffs] REPO…',
  );
  process.exit(2);
}

const MAX_FILE_BYTES = 262_144;
const structural = { constant_tests: true, restated_evidence: false, file_budget_ms: 250 };
const history = { revisit: false, repetition: 1, cycle: false };
const percentile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

function git(repo, args, encoding = 'utf8') {
  const { stdout } = spawnSync('git', ['-C', repo, ...args], { encoding, maxBuffer: 1 << 28 });
  return stdout ?? '';
}

/** Commits whose subject matches, without merges, evenly spread over the history. */
function sample(repo) {
  const wanted = new RegExp(values.subject, 'i');
  const all = git(repo, ['log', '--no-merges', '--format=%H%x09%s'])
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([hash, subject]) => hash && wanted.test(subject ?? ''));
  const max = Number(values.max);
  if (all.length <= max) return all;
  return Array.from({ length: max }, (_, index) => all[Math.floor((index * all.length) / max)]);
}

function changedFiles(repo, hash) {
  const lines = git(repo, ['diff-tree', '-r', '--no-renames', '--no-commit-id', '--root', hash]).split('\n');
  return lines.filter(Boolean).map((line) => {
    const [meta, path] = line.split('\t');
    const [, , before, after] = meta.slice(1).split(' ');
    const blob = (id) => (/^0+$/.test(id) ? null : git(repo, ['cat-file', 'blob', id], 'buffer'));
    return { path, role: 'declared', before: blob(before), after: blob(after) };
  });
}

async function judge(files, subject) {
  const basis = values['message-as-goal']
    ? { objective: subject, acceptance: [subject] }
    : { objective: 'Do what the owner wants.', acceptance: ['It is done.'] };
  const started = performance.now();
  const verdict = await evaluateStructural({ basis, files, history, structural });
  return { verdict, took: performance.now() - started };
}

const total = { judged: 0, code: 0, flagged: 0 };
const times = [];
for (const repo of positionals) {
  const name = basename(repo) === 'repo' ? basename(dirname(repo)) : basename(repo);
  const counts = { judged: 0, code: 0, flagged: 0 };
  for (const [hash, subject] of sample(repo)) {
    const files = changedFiles(repo, hash);
    const small = files.every(
      ({ before, after }) => Math.max(before?.length ?? 0, after?.length ?? 0) <= MAX_FILE_BYTES,
    );
    if (files.length === 0 || files.length > 60 || !small) continue;
    for (const group of values['each-file'] ? files.map((file) => [file]) : [files]) {
      const { verdict, took } = await judge(group, subject);
      times.push(took);
      counts.judged += 1;
      if (group.some(({ path }) => codeLanguageOf(path))) counts.code += 1;
      if (verdict.status !== 'completed') continue;
      counts.flagged += 1;
      console.log(`${name} ${hash.slice(0, 10)} ${subject}`);
      for (const { path, level, detail } of verdict.facts) console.log(`    ${level} ${path}: ${detail}`);
      if (values.diffs)
        console.log(
          git(repo, ['show', '--format=', '-U1', hash, '--', ...group.map(({ path }) => path)]).slice(
            0,
            4000,
          ),
        );
    }
  }
  total.judged += counts.judged;
  total.code += counts.code;
  total.flagged += counts.flagged;
  console.log(`${name}: ${counts.flagged} of ${counts.judged} flagged, ${counts.code} of them with code`);
}
times.sort((a, b) => a - b);
console.log(
  `all: ${total.flagged} of ${total.judged} flagged, ${total.code} of them with code; milliseconds p50 ${percentile(times, 0.5).toFixed(1)}, p95 ${percentile(times, 0.95).toFixed(1)}, max ${percentile(times, 1).toFixed(0)}`,
);
