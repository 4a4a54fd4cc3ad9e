import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driftProgram, filesBelow, makeRig, type Rig, run } from '../support/rig.ts';

/** One refresh in a shell that has set a limit first; the wrapped command says something and ends with 7. */
function limited(rig: Rig, limit: string, name: string) {
  const words = [
    'refresh',
    '--state-dir',
    rig.state,
    '--turn-id',
    name,
    '--',
    'sh',
    '-c',
    'echo ran; exit 7',
  ];
  return run(['bash', '-c', `${limit}; exec "$0" "$@"`, driftProgram, ...words], { cwd: rig.work });
}

const packageFolder = dirname(dirname(driftProgram));
const untouched = { rc: 7, out: 'ran\n', err: '' };
const snapshot = (rig: Rig): string[] =>
  filesBelow(rig.state).map(({ path }) => `${path} ${readFileSync(path, 'latin1')}`);

describe('a refresh', () => {
  it.each([
    ['D26 few file descriptors', 'ulimit -n 24'],
    ['D20 files that may not grow', 'ulimit -f 0'],
  ])('under %s leaves the command alone and no half entry', async (_name, limit) => {
    const rig = await makeRig();
    for (const n of [1, 2, 3]) await rig.refresh(`echo ${n} > a.txt`);

    const ended = await limited(rig, limit, 'limited');
    await rig.refresh('echo after > a.txt');
    const { remaining } = await rig.drain();
    const doctor = JSON.parse((await rig.drift(['doctor', '--json'])).out);

    expect(ended).toEqual(untouched);
    expect([remaining, doctor.findings]).toEqual([0, []]);
  });

  it.skipIf(process.geteuid?.() !== 0)(
    'D24 D25 by a user who may not write there leaves the command alone, and status still answers its owner',
    async ({ skip }) => {
      const rig = await makeRig();
      chmodSync(rig.dir, 0o755);
      mkdirSync(join(rig.dir, 'package'));
      // That user may not reach the folder that the package lies in, so it is mounted where everybody may.
      const asNobody = (...words: string[]) => {
        const line =
          'mount --bind "$0" package && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"';
        const program = join(rig.dir, 'package', 'bin', 'drift');
        return run(['unshare', '-m', 'sh', '-c', line, packageFolder, program, ...words], { cwd: rig.dir });
      };

      const probe = await asNobody('--version');
      skip(probe.rc !== 0, `not run, mounting is refused here: ${probe.err}`);
      const ended = await asNobody('refresh', '--state-dir', rig.state, '--', 'sh', '-c', 'echo ran; exit 7');
      const refused = await asNobody('status', '--json', '--state-dir', rig.state);

      expect(ended).toEqual(untouched);
      expect(refused.rc).toBe(2);
      expect(JSON.parse(refused.out).error).toMatchObject({ reason: 'state_not_private', file: rig.state });
      expect((await rig.status()).counts).toEqual({});
    },
  );

  it.skipIf(process.geteuid?.() !== 0)(
    'D24 on a filesystem that is read-only leaves the command alone, and status still answers',
    async ({ skip }) => {
      const rig = await makeRig();
      await rig.refresh('echo two > a.txt');
      const inReadOnly = (words: string[]) =>
        run(
          [
            'unshare',
            '-m',
            'sh',
            '-c',
            'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"',
            rig.state,
            driftProgram,
            ...words,
          ],
          { cwd: rig.work },
        );

      const probe = await inReadOnly(['--version']);
      skip(probe.rc !== 0, `not run, mounting is refused here: ${probe.err}`);
      const ended = await inReadOnly([
        'refresh',
        '--state-dir',
        rig.state,
        '--',
        'sh',
        '-c',
        'echo ran; exit 7',
      ]);
      const status = await inReadOnly(['status', '--json', '--state-dir', rig.state]);

      expect(ended).toEqual(untouched);
      expect(JSON.parse(status.out)).toMatchObject({ verdict: 'UNOBSERVED', backlog: { queued: 1 } });
    },
  );

  it.skipIf(process.geteuid?.() !== 0)(
    'D20 with too little free space captures nothing and says so, and captures again once there is more',
    async ({ skip }) => {
      const { dir, work } = await makeRig({ init: false });
      const at = `--state-dir ${dir}/small/state`;
      const script = [
        `mkdir ${dir}/small; mount -t tmpfs -o size=4m tmpfs ${dir}/small || exit 99`,
        `${driftProgram} init ${at} --workspace ${work} --basis ${dir}/basis.json --path a.txt >/dev/null`,
        `head -c 3950000 /dev/zero > ${dir}/small/fill`,
        `${driftProgram} refresh ${at} -- sh -c 'echo two > a.txt; echo ran; exit 7'; echo "rc $?"`,
        `${driftProgram} doctor ${at} >&2; rm ${dir}/small/fill`,
        `${driftProgram} refresh ${at} -- sh -c 'echo three > a.txt'`,
        `${driftProgram} status ${at} --json`,
      ];

      const { rc, out, err } = await run(['unshare', '-m', 'sh', '-c', script.join('\n')], { cwd: work });

      skip(rc === 99, `not run, mounting is refused here: ${err}`);
      expect(out).toMatch(/^ran\nrc 7\n/);
      expect(err).toContain('low_space');
      const status = JSON.parse(out.slice(out.indexOf('{')));
      expect(status.capture_failures).toEqual({ total: 1, by_reason: { low_space: 1 } });
      expect(status.counts).toEqual({ baseline_reset: 1 });
    },
  );

  it('D41 finds a state of another version, touches nothing of it and runs the command', async () => {
    const rig = await makeRig();
    writeFileSync(join(rig.state, 'format'), 'drift_state_v2\n');
    const before = snapshot(rig);

    const ended = await rig.refresh('echo two > a.txt; echo ran; exit 7');
    const others = await Promise.all(
      ['drain', 'status', 'show', 'purge', 'doctor'].map((name) =>
        rig.drift([
          name,
          '--json',
          ...(name === 'show' ? ['abcdef01'] : []),
          ...(name === 'purge' ? ['--event', 'abcdef01'] : []),
        ]),
      ),
    );

    expect(ended).toEqual(untouched);
    for (const { rc, out } of others) {
      expect(rc).toBe(2);
      expect(JSON.parse(out).error.reason).toBe('state_version_unknown');
    }
    expect(snapshot(rig)).toEqual(before);
  });
});
