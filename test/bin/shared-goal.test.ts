import { describe, expect, it } from 'vitest';
import { claimWords, formObligation, makeAssistRig } from '../support/assist.ts';

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
