import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { driftProgram } from '../support/rig.ts';
import { plainEnv } from '../support/wrapped.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/limits.md', import.meta.url)), 'utf8');

/** Puts BusyBox in the place of the programs that the launcher uses, for `"$@"` and what it starts alone. */
const withBusyBox = `
  box=$(command -v busybox) || exit 99
  for program in /bin/sh /usr/bin/env /usr/bin/readlink /usr/bin/dirname /bin/cat /usr/bin/base64; do
    mount --bind "$box" "$(readlink -f "$program")" || exit 99
  done
  exec "$@"`;

function onBusyBox(...command: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['-rm', 'bash', '--norc', '-c', withBusyBox, 'bash', ...command],
    { env: { ...plainEnv, 'A-B': 'odd' } },
  );
  return { code: status, out: `${stdout}`, err: `${stderr}` };
}

const probe = onBusyBox('true');
const hasBusyBox = probe.code === 0;
if (!hasBusyBox)
  process.stderr.write(`\nNOT RUN: BusyBox needs busybox, and unshare with user namespaces ${probe.err}\n`);

describe.runIf(hasBusyBox)('where sh and env are BusyBox', () => {
  it('drift-sh starts, and the command gets what it would get without', () => {
    const list = `env; for fd in 3 9 10 11; do [ ! -e /dev/fd/$fd ] || echo open $fd; done; echo e >&2; exit 9`;
    const told = onBusyBox(`${driftProgram}-sh`, 'refresh', '--', 'sh', '-c', list, 'a b', '');
    const bare = onBusyBox('sh', '-c', list, 'a b', '');

    const sorted = ({ out }: { out: string }) =>
      out
        .split('\n')
        .filter((line) => !line.startsWith('_='))
        .sort();
    expect({ ...told, out: sorted(told) }).toEqual({ code: 9, out: sorted(bare), err: 'e\n' });
  });

  it('drift-sh keeps variables whose names a shell cannot use', () => {
    const told = onBusyBox(`${driftProgram}-sh`, 'refresh', '--', 'env');

    expect(told.out.split('\n')).toContain('A-B=odd');
  });

  it('drift-sh runs the other commands', () => {
    const told = onBusyBox(`${driftProgram}-sh`, '--version');

    expect(told).toMatchObject({ code: 0, err: '' });
    expect(told.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('is a limit of drift itself, whose first line needs env -S', () => {
    const told = onBusyBox(driftProgram, 'refresh', '--', 'true');

    expect(told.code).not.toBe(0);
    expect(told.err).toContain('BusyBox');
  });
});

it('says on the page of limits what to call where env is BusyBox', () => {
  expect(page.replace(/\s+/g, ' ')).toContain('has no `env -S`: † call `drift-sh`');
});
