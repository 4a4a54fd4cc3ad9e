import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRig } from '../support/rig.ts';
import { pi, toLog } from '../support/session-logs.ts';

/** A rig whose refresh names a session log that ends with the given row. */
async function makeLogged(row: unknown) {
  const rig = await makeRig();
  const log = join(rig.dir, 'session.jsonl');
  writeFileSync(log, toLog(pi.header(), pi.user(), row));
  let turn = 0;
  const refresh = (script: string) => {
    turn += 1;
    const words = ['--turn-id', `turn-${turn}`, '--session-log', log];
    return rig.drift(['refresh', ...words, '--', 'sh', '-c', script]);
  };
  const newest = async () => (await rig.status()).events[0];
  return { ...rig, log, refresh, newest };
}

describe('the end of a turn', () => {
  it.each([
    ['aborted', pi.assistant('aborted'), ', turn aborted'],
    ['compaction', pi.compaction(), ', turn compaction'],
    ['error', pi.assistant('error'), ', turn error'],
    ['unfinished', pi.assistant('toolUse'), ', turn unfinished'],
    ['stop', pi.assistant('stop'), ''],
  ])('marks the event, which is judged as usual: %s', async (end, row, mark) => {
    const rig = await makeLogged(row);
    await rig.refresh('printf "one \\n" > a.txt');

    const [judged] = (await rig.drain()).processed;

    expect(judged).toMatchObject({ status: expect.stringMatching(/^(completed|abstained)$/) });
    expect((await rig.newest())?.facts).toContainEqual({ fact: 'turn_end', detail: end });
    const { out } = await rig.drift(['status']);
    expect(out.includes(', turn ')).toBe(mark !== '');
    expect(out).toContain(mark);
  });

  it('marks a turn that changed nothing too, for good', async () => {
    const rig = await makeLogged(pi.assistant('aborted'));
    await rig.refresh('true');
    await rig.drain();
    rmSync(rig.log);

    expect(await rig.newest()).toMatchObject({
      reason: 'no_delta',
      facts: [{ fact: 'turn_end', detail: 'aborted' }],
    });
    rmSync(join(rig.state, 'aggregate.json'));
    await rig.drain();
    expect((await rig.newest())?.facts).toEqual([{ fact: 'turn_end', detail: 'aborted' }]);
    const all = await rig.status('--all');
    expect(all.events[0]?.facts).toEqual([{ fact: 'turn_end', detail: 'aborted' }]);
  });

  it('is that of the log as the refresh found it', async () => {
    const rig = await makeLogged(pi.assistant('aborted'));
    await rig.refresh('echo two > a.txt');
    appendFileSync(rig.log, toLog(pi.assistant('stop')));
    await rig.drain();

    expect((await rig.newest())?.facts).toContainEqual({ fact: 'turn_end', detail: 'aborted' });
  });

  it('is unobserved where the log is gone, and the event is judged all the same', async () => {
    const rig = await makeLogged(pi.assistant('stop'));
    await rig.refresh('echo two > a.txt');
    rmSync(rig.log);
    const [judged] = (await rig.drain()).processed;

    expect(judged.status).toBe('abstained');
    expect((await rig.newest())?.facts).toContainEqual({
      fact: 'turn_end_unobserved',
      detail: 'file_missing',
    });
  });
});
