import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StatusDocument } from '../../../src/readmodel/status.ts';
import { type ObservedWorkspace, observedWorkspace } from '../../support/observed-workspace.ts';
import { key, optionsFor, serve } from '../../support/remote.ts';
import { driftProgram, run } from '../../support/rig.ts';
import { answersOf } from '../../support/system-one-server.ts';

async function drift({ state }: ObservedWorkspace, ...words: string[]) {
  const [name = '', ...rest] = words;
  const argv = [driftProgram, name, '--state-dir', state, '--json', ...rest];
  return JSON.parse((await run(argv, { env: { DRIFT_TEST_KEY: key } })).out);
}

const reasonsOf = ({ processed }: { processed: { status: string; reason: string | null }[] }): string[] =>
  processed.map(({ status, reason }) => reason ?? status);

/** The configuration file with another number in it, as an editor would leave it. */
function editMaxRequests({ state }: ObservedWorkspace, max: number): void {
  const file = join(state, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...config, system_one: { ...config.system_one, max_requests: max } }));
}

describe('an observer with the remote evaluator', () => {
  it('shows what was sent, and raises the budget only when told to', async () => {
    const server = await serve();
    const observed = observedWorkspace({
      evaluator: 'system-one',
      system_one: optionsFor(server.url, { max_requests: 1 }),
    });
    await observed.turn('t1', 'x = 1\n');
    await observed.turn('t2', 'x = 2\n');
    const first = await drift(observed, 'drain');
    editMaxRequests(observed, 9);
    await observed.turn('t3', 'x = 3\n');
    await observed.turn('t4', 'x = 4\n');
    const edited = await drift(observed, 'drain');
    const before: StatusDocument = await drift(observed, 'status');
    await drift(observed, 'configure', 'system_one.max_requests=2', '--execute');
    await observed.turn('t5', 'x = 5\n');
    await observed.turn('t6', 'x = 6\n');
    const raised = await drift(observed, 'drain');
    const after: StatusDocument = await drift(observed, 'status');

    expect(reasonsOf(first)).toEqual(['completed', 'request_budget_exhausted']);
    expect(reasonsOf(edited)).toEqual(['request_budget_exhausted']);
    expect(before.requests).toEqual({ used: 1, max: 1 });
    expect(reasonsOf(raised)).toEqual(['completed']);
    expect(after.requests).toEqual({ used: 2, max: 2 });
    expect(server.seen).toHaveLength(2);
    const shown = await run([driftProgram, 'status', '--state-dir', observed.state]);
    expect(shown.out).toMatch(/^requests +2 of 2 used$/m);
  });

  it('sends nothing before it is allowed to', async () => {
    const server = await serve();
    const unconfigured = observedWorkspace({ evaluator: 'system-one' });
    const closed = observedWorkspace({
      evaluator: 'cascade',
      system_one: optionsFor(server.url, { allow_egress: false }),
    });
    for (const observed of [unconfigured, closed]) await observed.turn('t1', 'x = 1\n');

    expect(reasonsOf(await drift(unconfigured, 'drain'))).toEqual(['egress_not_allowed']);
    expect(reasonsOf(await drift(closed, 'drain'))).toEqual(['egress_not_allowed']);
    expect(server.seen).toHaveLength(0);
  });

  it('shows who judged what in a cascade', async () => {
    const server = await serve({
      kind: 'answer',
      answers: answersOf({
        relation: 'on_goal',
        increment: 'new_evidence',
        serves_acceptance: 0.9,
        evidence_increment: 0.9,
      }),
    });
    const observed = observedWorkspace({ evaluator: 'cascade', system_one: optionsFor(server.url) });
    await observed.turn('t1', 'x = 0  # zero\n');
    await observed.turn('t2', 'x = 1  # one\n');

    await drift(observed, 'drain');
    const { events }: StatusDocument = await drift(observed, 'status');

    expect(events.map(({ evaluator, drift_signal }) => [evaluator, drift_signal.noul])).toEqual([
      ['system-one', false],
      ['structural', true],
    ]);
    expect(server.seen).toHaveLength(1);
  });

  it('neither sends nor keeps a secret that an agent wrote into a file', async () => {
    const server = await serve();
    const secret = ['AKIA', 'Q3EGRIZ5V7', 'BCD2XY'].join('');
    const observed = observedWorkspace({ evaluator: 'system-one', system_one: optionsFor(server.url) });
    await observed.turn('t1', `x = "${secret}"\n`);

    const ended = await run([driftProgram, 'drain', '--state-dir', observed.state, '--json'], {
      env: { DRIFT_TEST_KEY: key },
    });
    const status = await run([driftProgram, 'status', '--state-dir', observed.state, '--json'], {});

    expect(reasonsOf(JSON.parse(ended.out))).toEqual(['secret_suspected']);
    expect(ended.out + ended.err + status.out).not.toContain(secret);
    expect(server.seen).toHaveLength(0);
  });
});
