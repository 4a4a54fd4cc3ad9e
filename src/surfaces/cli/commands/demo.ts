import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ok } from '../../../contract/result.ts';
import { loadObserver } from '../../../observer/load-observer.ts';
import { type LabelledEvent, readStatus } from '../../../readmodel/status.ts';
import { defineCommand } from '../command.ts';
import { demoBasis, demoStart, demoTurns } from '../demo-story.ts';
import type { Io } from '../io.ts';
import { wrap } from '../render/fit.ts';
import { renderStatus } from '../render/status.ts';
import { eventWord } from '../render/words.ts';

const LINE_COLUMNS = 80;
const drift = fileURLToPath(new URL('../../../../bin/drift', import.meta.url));

export const command = defineCommand({
  usage: 'demo [--keep]',
  describe:
    'Plays the main job on a made-up goal in a temporary folder: four turns of an agent, judged offline.',
  examples: [
    ['drift demo', 'a minute of reading, seconds of running'],
    ['drift demo --keep', 'leave the folder, to look around with drift show'],
  ],
  build: (yargs) =>
    yargs.option('keep', { type: 'boolean', default: false, describe: 'leave the temporary folder' }),
  run: async (args, io) => {
    const folder = mkdtempSync(join(tmpdir(), 'drift-demo-'));
    try {
      const say = (line: string): void => void (args.json ? io.stderr : io.stdout).write(`${line}\n`);
      const stage = setUp(folder, io);
      playTurns(stage, say);
      const loaded = loadObserver({ stateDir: stage.state, env: {}, cwd: folder });
      if (!loaded.ok) return loaded;
      const where = { env: io.env, cwd: io.cwd };
      const status = await readStatus(loaded.value, { all: false, now: io.now(), where });
      for (const event of status.events.toReversed()) say(wrap(verdictLine(event), LINE_COLUMNS).join('\n'));
      say('\n$ drift status');
      const kept = args.keep ? `\n\nKept: drift show EVENT --state-dir ${stage.state}` : '';
      return ok({ document: status, text: `${renderStatus(status, io, false)}${kept}` });
    } finally {
      if (!args.keep) rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** Every turn edits a file and says "advanced"; then the drain. */
function playTurns({ work, run }: Stage, say: (line: string) => void): void {
  say(
    `A goal: ${demoBasis.objective.toLowerCase()}.\nAn agent takes four turns and says "advanced" after each.\n`,
  );
  for (const { id, file, edit, claim } of demoTurns) {
    const path = join(work, file);
    writeFileSync(path, edit(readFileSync(path, 'utf8')));
    say(`$ drift refresh --turn-id ${id} -- echo "advanced: ${claim}"`);
    say(run(['refresh', '--agent-id', 'worker', '--turn-id', id, '--', 'echo', `advanced: ${claim}`]));
  }
  say('$ drift drain');
  run(['drain']);
}

const verdictLine = (event: LabelledEvent): string =>
  [`${event.run?.turn_instance_id}: ${eventWord(event)}`, event.facts[0]?.detail].filter(Boolean).join(', ');

interface Stage {
  readonly work: string;
  readonly state: string;
  /** Runs drift on the demo's observer and gives its output back. */
  readonly run: (words: readonly string[]) => string;
}

/** A workspace with an observer; every step runs the real program. */
function setUp(folder: string, io: Io): Stage {
  const work = join(folder, 'retry');
  const state = join(work, '.drift');
  mkdirSync(work);
  for (const [name, text] of Object.entries(demoStart)) writeFileSync(join(work, name), text);
  writeFileSync(join(folder, 'basis.json'), `${JSON.stringify(demoBasis, null, 2)}\n`);
  const env = Object.fromEntries(Object.entries(io.env).filter(([name]) => !name.startsWith('DRIFT_')));
  const run = (words: readonly string[]): string => {
    const { status, stdout, stderr, error } = spawnSync(drift, [...words], {
      cwd: work,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`drift ${words[0]} ended with ${status}: ${error?.message ?? stderr}`);
    return stdout;
  };
  const paths = Object.keys(demoStart).flatMap((name) => ['--path', name]);
  run(['init', '--state-dir', state, '--basis', '../basis.json', ...paths]);
  return { work, state, run };
}
