import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { driftProgram, makeRig, type Rig } from '../support/rig.ts';
import { plainEnv, sh } from '../support/wrapped.ts';

const stub = fileURLToPath(new URL('../../fixtures/loopx', import.meta.url));

/** A LoopX host whose refresh has been recorded once, and a command that prints the same answer again. */
async function makeRecorded(): Promise<{ rig: Rig; again: string[]; answer: string }> {
  const rig = await makeRig();
  const words = [
    'refresh-state',
    '--runtime-root',
    rig.runtime,
    '--goal-id',
    rig.goal,
    '--agent-id',
    'worker',
    '--turn-instance-id',
    't',
  ];
  const ended = await rig.drift(['refresh', '--', 'loopx', ...words], {
    env: { PATH: `${stub}:${dirname(process.execPath)}:${plainEnv['PATH']}` },
  });
  const answer = join(rig.dir, 'answer');
  writeFileSync(answer, ended.out);
  return {
    rig,
    again: [driftProgram, 'refresh', '--state-dir', rig.state, '--', ...sh('cat "$1"; printf "$2"', answer)],
    answer,
  };
}

/** `duplicate_event`: the answer was read, and names a turn that is known. `no_new_run`: only the index was. */
const outcomeOf = (rig: Rig): string =>
  JSON.parse(readFileSync(join(rig.state, 'last-refresh.json'), 'utf8')).outcome;

describe('the answer of a LoopX refresh', () => {
  it.each([
    ['a pipe', '"$@" | cat'],
    ['a file', '"$@" > "$0"'],
    ['a file that is not empty', '{ echo before; "$@"; } > "$0"'],
    ['a file that is appended to', 'echo before > "$0"; "$@" >> "$0"'],
    ['the pipe of stderr', '"$@" 2>&1 | cat'],
    [
      'a pipe, with all low descriptors taken',
      'exec 3</dev/null 4</dev/null 5</dev/null 6</dev/null 7</dev/null 8</dev/null 9</dev/null; "$@" | cat',
    ],
  ])('is read from %s', async (_what, script) => {
    const { rig, again } = await makeRecorded();

    spawnSync('bash', ['--norc', '-c', script, join(rig.dir, 'out'), ...again], {
      env: plainEnv,
      cwd: rig.work,
    });

    expect(outcomeOf(rig)).toBe('duplicate_event');
  });

  it('is read from a socket', async () => {
    const { rig, again } = await makeRecorded();

    spawnSync(again[0] ?? '', again.slice(1), { env: plainEnv, cwd: rig.work });

    expect(outcomeOf(rig)).toBe('duplicate_event');
  });

  it.each([
    ['nobody can read it', '"$@" > /dev/null'],
    ['stdout is closed', '"$@" >&-'],
    ['it is followed by more than is kept', '"$@" "$(head -c 70000 /dev/zero | tr "\\0" x)" | cat'],
  ])('counts as not seen when %s', async (_why, script) => {
    const { rig, again } = await makeRecorded();

    spawnSync('bash', ['--norc', '-c', script, 'bash', ...again], { env: plainEnv, cwd: rig.work });

    expect(outcomeOf(rig)).toBe('no_new_run');
  });
});
