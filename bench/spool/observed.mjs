// One observer in a folder of its own, driven through the built program by real processes.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const program = new URL('../../bin/drift', import.meta.url).pathname;
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(DRIFT|NODE_|VITEST)/.test(name)),
);

/** Starts the program. `ended` resolves to how it ended and what it said; `kill` ends it before it can say anything. */
export function startDrift(words, cwd) {
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', (bytes) => {
    out += bytes;
  });
  child.stderr.on('data', (bytes) => {
    err += bytes;
  });
  const ended = new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ how: signal ?? code, out, err })),
  );
  return { child, ended };
}

/** Makes the observer; `writers` declared files, one for each that takes turns. */
export async function makeObserved(folder, writers) {
  const work = join(folder, 'work');
  const state = join(folder, 'state');
  mkdirSync(work, { recursive: true });
  const files = Array.from({ length: writers }, (_, n) => `w${n}.txt`);
  for (const file of files) writeFileSync(join(work, file), 'start\n');
  writeFileSync(join(folder, 'basis.json'), '{"objective":"o","acceptance":["a"]}');
  const at = ['--state-dir', state];
  const basis = ['--basis', join(folder, 'basis.json'), '--goal-id', 'torture'];
  const paths = files.flatMap((file) => ['--path', file]);
  const { how, err } = await startDrift(['init', ...at, '--workspace', work, ...basis, ...paths], work).ended;
  if (how !== 0) throw new Error(`init ended with ${how}: ${err}`);
  return {
    state,
    /** One turn of one writer: it changes its file, and says what was captured. */
    turn: (writer, name) =>
      startDrift(
        [
          'refresh',
          ...at,
          '--explain',
          '--turn-id',
          name,
          '--agent-id',
          `a${writer}`,
          '--',
          'sh',
          '-c',
          `echo ${name} > w${writer}.txt; echo ran ${name}`,
        ],
        work,
      ),
    drain: (...words) => startDrift(['drain', '--json', ...at, ...words], work),
  };
}

/** The entry that a turn was acknowledged as; null when it was not. */
export function acknowledged({ err }) {
  const [, sequence, id] = /captured as #(\d+) ([0-9a-f]{12})/.exec(err) ?? [];
  return sequence === undefined ? null : { sequence: Number(sequence), id };
}
