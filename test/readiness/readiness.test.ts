import { beforeAll, describe, expect, it } from 'vitest';
import type { LadderGoal, Stage } from '../../src/readiness/maturity-ladder.ts';
import { columnsOf } from '../../src/surfaces/cli/render/fit.ts';
import { type AssistRig, claimWords, makeAssistRig } from '../support/assist.ts';
import type { Rig } from '../support/rig.ts';

/** A turn of real work, then three that only rename; the owner labels what was flagged as drift, the rest as work. */
async function labelledGoal(mode: string): Promise<AssistRig> {
  const rig = await makeAssistRig({ mode });
  rig.write(
    'a.ts',
    'export function retry(times: number): number {\n  const limit = times;\n  return limit * 3;\n}\n',
  );
  await rig.turn(claimWords('start', 'log-0'), { as: 'turn-0', churn: false });
  for (const n of [1, 2, 3]) await rig.turn(claimWords(`idea-${n}`, `log-${n}`), { as: `turn-${n}` });
  await rig.drain();
  for (const { event_id, drift_signal } of (await rig.status()).events)
    await rig.drift(['label', '--event-id', event_id, '--truth', drift_signal.noul ? 'drift' : 'on_goal']);
  return rig;
}

interface Readiness {
  readonly goals: LadderGoal[];
  readonly stages: Stage[];
  readonly closing: string;
}

async function readinessOf(rig: Rig, ...others: Rig[]): Promise<Readiness> {
  const more = others.flatMap(({ state }) => ['--state-dir', state]);
  return JSON.parse((await rig.drift(['readiness', '--json', ...more])).out);
}

const evidenceOf = ({ stages }: Readiness, stage: number): Record<string, string> =>
  Object.fromEntries((stages[stage]?.evidence ?? []).map(({ what, state }) => [what, state]));

describe('drift readiness', () => {
  let shadow: AssistRig;
  let assist: AssistRig;

  beforeAll(async () => {
    shadow = await labelledGoal('shadow');
    assist = await labelledGoal('assist');
  });

  it('gives per goal what the labels say of each signal, with its interval', async () => {
    const [goal] = (await readinessOf(shadow)).goals;

    expect(goal?.readiness).toMatchObject({
      receipts: 4,
      runs: 4,
      unlabelled: 0,
      labels: { drift: 2, on_goal: 2, unknown: 0 },
    });
    expect(goal?.readiness?.signals.noul).toMatchObject({
      false_flags: { count: 0, of: 0, rate: null },
      false_flags_of_all: { count: 0, of: 2, rate: 0 },
      on_goal_without_verdict: 2,
      found: { count: 2, of: 2, rate: 1 },
      obligations_by_threshold: { 2: 1, 3: 0, 4: 0, 5: 0 },
    });
    expect(
      goal?.readiness?.lead_times.map(({ run, runs_before_review }) => [run, runs_before_review]),
    ).toEqual([
      [4, 16],
      [3, 17],
    ]);
  });

  it('says of each stage what is met and what is missing, and leaves to people what is theirs', async () => {
    const other = await makeAssistRig({ mode: 'off' });

    const readiness = await readinessOf(shadow, other);

    expect(evidenceOf(readiness, 1)).toEqual({
      'two goals in shadow': 'missing',
      'demo-goal: 14 days or 40 receipts': 'missing',
      'demo-goal: labelled': 'met',
      'demo-goal: observed': 'missing',
      'one real drift labelled before run 20': 'met',
      'false-flag rate and lead time, as their owners report them': 'to_judge',
    });
    expect(evidenceOf(readiness, 2)).toMatchObject({
      'the cost of false flags in stage 1 is acceptable': 'to_judge',
      'one goal in assist, pinned to its basis': 'missing',
    });
    expect(readiness.stages.map(({ decides }) => decides)).toEqual([
      'the maintainers',
      'the goal owner',
      'the goal owner and a maintainer',
      'the project',
    ]);
    expect(readiness.closing).toContain('Stopping at any stage');
    expect(readiness.goals[1]?.readiness).toBeNull();
  });

  it('tells of each obligation how it ended, whether the slice changed, and what its owner says', async () => {
    const { obligation_id } = await assist.obligation();
    await assist.ack('--agent-id', 'scout', ...claimWords('another', 'log-9'));
    await assist.drift(['label', '--obligation', obligation_id ?? '', '--truth', 'right']);

    const readiness = await readinessOf(assist);

    expect(readiness.goals[0]?.readiness?.obligations).toMatchObject([
      { ended: 'acknowledged', turns_until_ack: 1, slice_changed: true, label: 'right' },
    ]);
    expect(evidenceOf(readiness, 2)['one goal in assist, pinned to its basis']).toBe('met');
  });

  it('refuses a label for an obligation that never was', async () => {
    const ended = await assist.drift([
      'label',
      '--json',
      '--obligation',
      'replan-0123456789abcdef',
      '--truth',
      'wrong',
    ]);

    expect(ended.rc).toBe(2);
    expect(JSON.parse(ended.out).error.reason).toBe('obligation_not_found');
  });

  it('counts the evidence first, prints within 80 columns, and ends with the sentence that nobody has to move', async () => {
    const { out } = await shadow.drift(['readiness']);

    expect(out).toMatch(/^Evidence for stage 1: 2 met, 2 missing, 1 for people to judge\.\n/);
    expect(Math.max(...out.split('\n').map(columnsOf))).toBeLessThanOrEqual(80);
    expect(out.replaceAll('\n', ' ')).toContain(
      'is a valid result. Moving up is decided by people, never by drift.',
    );
  });
});
