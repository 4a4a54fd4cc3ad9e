import { describe, expect, it } from 'vitest';
import { claimWords, formObligation, makeAssistRig } from '../support/assist.ts';
import { makeRig } from '../support/rig.ts';

describe('two observers of one goal', () => {
  it('see the obligations of both their agents, though both count from zero', async () => {
    const first = await makeAssistRig();
    const second = await makeAssistRig({ args: ['--runtime-root', first.runtime] });
    await formObligation(first, 'a', 'scout');
    await formObligation({ ...second, goalFolder: first.goalFolder }, 'b', 'pilot');
    const seen = async (rig: typeof first) =>
      (await rig.status()).obligations.map(({ agent_id }) => agent_id).sort();
    expect(await seen(first)).toEqual(['pilot', 'scout']);
    expect(await seen(second)).toEqual(['pilot', 'scout']);
    expect((await first.status()).external_progress_review?.receipt_count).toBe(4);

    await second.turn(claimWords('h-new', 'new-1'), { agent: 'pilot', churn: false });
    await second.drain();
    expect(await seen(first)).toEqual(['scout']);
    expect((await second.ack('--agent-id', 'scout', ...claimWords('h-new', 'new-2'))).rc).toBe(0);
    expect(await seen(first)).toEqual([]);
  });
});

describe('an observer made like another', () => {
  it('goes by the same policy, whoever changes it', async () => {
    const first = await makeAssistRig();
    const second = await makeRig({ files: { 'a.ts': 'export const limit = 1;\n' }, init: false });
    const made = await second.drift(['init', '--workspace', second.work, '--like', first.state]);
    expect(made, made.err).toMatchObject({ rc: 0 });
    const modeOf = async (rig: { status: typeof second.status }) =>
      (await rig.status()).external_progress_review?.mode;
    expect(await modeOf(second)).toBe('assist');
    const words = ['--goal-id', first.goal, '--progress-review-mode', 'shadow', '--execute'];
    expect((await second.drift(['configure-goal', ...words])).rc).toBe(0);
    expect(await modeOf(first)).toBe('shadow');
    expect(await modeOf(second)).toBe('shadow');
  });
});
