import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driftProgram, run } from '../support/rig.ts';

const hasBash = spawnSync('bash', ['--version']).status === 0;

describe.skipIf(!hasBash)('completion in bash', () => {
  const complete = async (line: string): Promise<string[]> => {
    const words = line.split(' ');
    const script = `
      eval "$(drift completion)"
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
      COMP_CWORD=${words.length - 1}
      _drift_yargs_completions
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: `${dirname(driftProgram)}:${process.env['PATH']}`, SHELL: '/bin/bash' };
    const ended = await run(['bash', '-c', script], { env });
    return ended.out.split('\n').filter(Boolean);
  };

  it('completes a command', async () => {
    expect(await complete('drift rea')).toEqual(['readiness']);
  });

  it('completes an option of a command', async () => {
    expect(await complete('drift dashboard --po')).toEqual(['--port']);
  });

  it('completes the words that an option takes', async () => {
    expect(await complete('drift configure-goal --progress-review-mode as')).toEqual(['assist']);
  });
});
