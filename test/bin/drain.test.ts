import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driftProgram, makeRig, namesIn, type Rig, run } from '../support/rig.ts';

const python = 'def f(rows):\n    total = 0\n    for row in rows:\n        total += row\n    return total\n';
const renamed = python.replaceAll('total', 'result');
const real = python.replace('total += row', 'total += row * 2');
const files = { 'a.py': python };

const edit = (rig: Rig, text: string) => {
  writeFileSync(join(rig.dir, 'next'), text);
  return rig.refresh('cat ../next > a.py');
};
const verdicts = (rig: Rig) =>
  rig.receipts().map(({ status, reason, drift_signal }) => [status, reason, drift_signal.noul]);
const eventFile = (rig: Rig, sequence: number) =>
  join(rig.state, 'ev', '00000000', `${String(sequence).padStart(12, '0')}.json`);

describe('drift drain', () => {
  it('flags a rename, leaves real work undecided, and does nothing twice', async () => {
    const rig = await makeRig({ files });
    await edit(rig, renamed);
    await edit(rig, real);

    const first = await rig.drain();
    const kept = JSON.stringify(rig.receipts());
    const second = await rig.drain();

    expect(first.processed.map(({ status }: { status: string }) => status)).toEqual([
      'completed',
      'abstained',
    ]);
    expect(verdicts(rig)).toEqual([
      ['completed', null, true],
      ['abstained', 'structural_unproven', null],
    ]);
    expect(second).toEqual({ status: 'drained', processed: [], remaining: 0 });
    expect(JSON.stringify(rig.receipts())).toBe(kept);
  });

  it('judges as many as it is told to, oldest first', async () => {
    const rig = await makeRig({ files });
    await edit(rig, renamed);
    await edit(rig, real);

    const first = await rig.drain('--max', '1');

    expect(first).toMatchObject({ remaining: 1, processed: [{ status: 'completed' }] });
    expect((await rig.status()).backlog.queued).toBe(1);
  });

  it('calls an event stale when the configuration has moved on', async () => {
    const rig = await makeRig({ files });
    await edit(rig, renamed);
    await rig.drift(['configure', 'minimum_label_probability=0.7', '--execute']);

    await rig.drain();

    expect(verdicts(rig)).toEqual([['stale', 'configuration_changed', null]]);
  });

  it('calls an event stale when the basis has changed, and takes a new baseline', async () => {
    const rig = await makeRig({ files });
    await edit(rig, renamed);
    writeFileSync(join(rig.dir, 'basis.json'), '{"objective":"another","acceptance":["z"]}');

    await rig.drain();
    await edit(rig, real);

    expect(verdicts(rig)).toEqual([
      ['stale', 'contract_revision_changed', null],
      ['not_evaluated', 'baseline_reset', null],
    ]);
  });

  it('calls an event stale when its run record was rewritten', async () => {
    const rig = await makeRig({ files });
    await edit(rig, renamed);
    const record = String(rig.rows()[0]?.json_path);
    writeFileSync(record, readFileSync(record, 'utf8').replace('worker', 'other'));

    await rig.drain();

    expect(verdicts(rig)).toEqual([['stale', 'run_record_changed', null]]);
  });

  it.each([
    ['binary', 'printf "a\\000b" > a.py', 'binary'],
    ['not UTF-8', 'printf "caf\\351" > a.py', 'not_utf8'],
  ])('does not judge a file that became %s, and says which', async (_, script, why) => {
    const rig = await makeRig({ files: { ...files, 'b.py': python } });
    await rig.refresh(`${script}; sed -i s/total/sum_of_all/g b.py`);

    await rig.drain();
    const status = await rig.status();

    expect(verdicts(rig)).toEqual([['not_evaluated', 'incomplete_coverage', null]]);
    expect(status.events[0]?.facts).toContainEqual({
      fact: 'incomplete_coverage',
      path: 'a.py',
      detail: why,
    });
    expect(status.coverage['a.py']).toMatchObject({ state: 'unreadable', reason: why });
  });

  it('judges on when a binary file does not change any more', async () => {
    const rig = await makeRig({ files: { ...files, 'b.bin': 'text\n' } });
    await rig.refresh('printf "\\000" > b.bin');
    await edit(rig, renamed);

    await rig.drain();

    expect(verdicts(rig).map(([status]) => status)).toEqual(['not_evaluated', 'completed']);
  });

  it('types a damaged event, keeps a copy of it and judges the later ones', async () => {
    const rig = await makeRig({ files });
    await edit(rig, renamed);
    await edit(rig, python);
    const damaged = readFileSync(eventFile(rig, 1));
    damaged[400] = (damaged[400] ?? 0) ^ 1;
    chmodSync(eventFile(rig, 1), 0o600);
    writeFileSync(eventFile(rig, 1), damaged);

    const drained = await rig.drain();

    expect(drained).toMatchObject({
      remaining: 0,
      processed: [{ reason: 'corrupt_event' }, { status: 'completed' }],
    });
    expect(verdicts(rig)).toEqual([
      ['not_evaluated', 'corrupt_event', null],
      ['completed', null, true],
    ]);
    expect(namesIn(join(rig.state, 'dead'))).toEqual(['000000000001.json']);
    expect(namesIn(join(rig.state, 'ev', '00000000'))).toHaveLength(3);
  });

  it('publishes again what has vanished from the runtime before it was judged', async () => {
    const rig = await makeRig({ files });
    await edit(rig, renamed);
    await rig.refresh('true');
    const { rmSync } = await import('node:fs');
    rmSync(rig.runtime, { recursive: true });

    await rig.drain();

    // The run records are gone with the runtime, so the event cannot speak for a run any more.
    expect(verdicts(rig)).toEqual([
      ['stale', 'run_record_changed', null],
      ['not_evaluated', 'no_delta', null],
    ]);
  });

  it('flags a second full round trip as a cycle', async () => {
    const rig = await makeRig({ files });
    for (const text of [real, python, real, python, real]) await edit(rig, text);

    await rig.drain();

    expect(verdicts(rig).map(([status, , noul]) => [status, noul])).toEqual([
      ['abstained', null],
      ['abstained', null],
      ['abstained', null],
      ['completed', true],
      ['completed', true],
    ]);
    expect((await rig.status()).events[1]?.facts.map(({ fact }) => fact)).toEqual(
      expect.arrayContaining(['revisit', 'repeat', 'cycle']),
    );
  });

  it('D40 stays while it watches, lets nobody else in, and ends well on SIGTERM', async () => {
    const rig = await makeRig({ files });
    let end = (): void => undefined;
    const watching = rig.drift(['drain', '--json', '--watch-seconds', '0', '--poll-ms', '50'], {
      onStart: (child) => {
        end = () => child.kill('SIGTERM');
      },
    });
    while (!namesIn(rig.state).includes('drain.lock'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await edit(rig, renamed);
    while ((await rig.status()).backlog.queued > 0) await new Promise((resolve) => setTimeout(resolve, 20));

    const second = await rig.drain();
    end();
    const first = await watching;

    expect(second.status).toBe('busy');
    expect(first.rc).toBe(0);
    expect(JSON.parse(first.out)).toMatchObject({ status: 'drained', processed: [{ status: 'completed' }] });
  });

  it('follows a configuration that changes while it watches', async () => {
    const rig = await makeRig({ files });
    const watching = rig.drift(['drain', '--json', '--watch-seconds', '3', '--poll-ms', '50']);
    while (!namesIn(rig.state).includes('drain.lock'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await rig.drift(['configure', 'minimum_label_probability=0.9', '--execute']);
    await edit(rig, real);
    await edit(rig, real.replaceAll('total', 'result'));

    await watching;

    expect(rig.receipts().map(({ label_probability_threshold }) => label_probability_threshold)).toEqual([
      0.9, 0.9,
    ]);
  });

  it.each(['systemd', 'launchd', 'cron'])(
    'prints a unit for %s with this program and this Node',
    async (kind) => {
      const rig = await makeRig();

      const { rc, out } = await rig.drift(['drain', '--print-unit', kind]);

      expect(rc).toBe(0);
      for (const path of [rig.state, driftProgram, dirname(process.execPath)]) expect(out).toContain(path);
    },
  );

  it('prints a line for cron that runs with nothing of the shell that printed it', async () => {
    const rig = await makeRig();
    rig.write('a.txt', 'two\n');
    await rig.refresh('true');
    const { out } = await rig.drift(['drain', '--print-unit', 'cron']);
    const command = out.replace(/^(\S+ ){5}/, '');

    const ended = await run(['/usr/bin/env', '-i', '/bin/sh', '-c', command], { cwd: '/' });

    expect(ended.rc).toBe(0);
    expect((await rig.status()).backlog.queued).toBe(0);
  });
});
