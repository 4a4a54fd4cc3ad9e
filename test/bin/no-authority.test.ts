import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimWords, formObligation, makeAssistRig } from '../support/assist.ts';
import { filesBelow } from '../support/rig.ts';

const registryOf = (rig: { state: string }): string => readFileSync(join(rig.state, 'registry.json'), 'utf8');
const acknowledgements = (rows: Record<string, unknown>[]) =>
  rows.filter((row) => row['autonomous_replan_ack']);

describe('while an obligation is open, drift', () => {
  it('neither pauses nor ends a turn: the command runs, speaks and ends as ever', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    for (const [script, rc] of [
      ['echo out; echo err >&2; exit 0', 0],
      ['echo out; echo err >&2; exit 7', 7],
    ] as const)
      expect(await rig.refresh(script, { agentId: 'scout' })).toEqual({ rc, out: 'out\n', err: 'err\n' });
  });

  it('opens no user gate: all that it asks for is asked of the agent', async () => {
    const rig = await makeAssistRig();
    const obligation = await formObligation(rig, 'a');
    expect(obligation.todo_actions.map(({ role }) => role)).toEqual(['agent']);
    expect(obligation.triggers[0]).toMatchObject({
      model_authority: 'none',
      effect: 'required_obligation_under_goal_policy',
    });
    const names = filesBelow(rig.goalFolder).map(({ path }) => path.slice(rig.goalFolder.length + 1));
    expect(names.every((name) => /^(runs|progress-review)\//.test(name))).toBe(true);
  });

  it('offers neither escalation nor a pause', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    const help = await rig.drift(['obligation', '--help']);
    const printed = await rig.drift(['obligation']);
    expect(`${help.out}${printed.out}`).not.toMatch(/escalat|pause/i);
    expect(
      (await rig.drift(['configure-goal', '--goal-id', rig.goal, '--progress-review-mode', 'enforce'])).rc,
    ).toBe(2);
  });

  it('accepts and completes no goal: closing an obligation changes nothing of the goal', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    const before = registryOf(rig);
    expect((await rig.ack(...claimWords('h', 'new-1'))).rc).toBe(0);
    expect(registryOf(rig)).toBe(before);
    expect((await rig.status()).verdict).not.toMatch(/GOAL|DONE|ACCEPTED/);
  });

  it("edits no agent's claim, refused or accepted", async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    const claims = () =>
      rig.rows().flatMap((row) => (row['progress_observation'] ? [row['progress_observation']] : []));
    await rig.turn(claimWords('h-a-1', 'ev-a'), { churn: false });
    await rig.turn(claimWords('h-new', 'new-1'), { churn: false });
    const before = claims();
    await rig.drain();
    expect(claims()).toEqual(before);
    expect(acknowledgements(rig.rows())).toHaveLength(1);
    const rows = rig.rows();
    const lines = readFileSync(join(rig.goalFolder, 'runs', 'index.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(rows.length);
  });

  it('acknowledges nothing on its own, however often it looks', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    for (let look = 0; look < 3; look += 1) {
      await rig.turn([], { churn: false });
      await rig.drain();
      await rig.status();
      await rig.drift(['obligation', '--prompt']);
    }
    expect(acknowledgements(rig.rows())).toEqual([]);
    expect((await rig.obligation()).open).toBe(true);
  });

  it('takes an acknowledgement only from somebody with a name', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    await rig.drift(['refresh', ...claimWords('h-anon', 'new-1'), '--', 'true']);
    await rig.drain();
    expect(acknowledgements(rig.rows())).toEqual([]);
    expect((await rig.obligation()).open).toBe(true);
  });

  it('moves no pin: a new basis is only pointed out', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    rig.write(
      '../basis.json',
      JSON.stringify({ objective: 'Something else', acceptance: ['Another criterion'] }),
    );
    const before = registryOf(rig);
    expect((await rig.drift([...rig.initWords, '--replace'])).rc).toBe(0);
    await rig.turn(claimWords('h', 'ev'));
    await rig.turn(claimWords('h', 'ev'));
    await rig.drain();
    expect(registryOf(rig)).toBe(before);
    const status = await rig.status();
    expect(status.contract_revision).not.toBe(rig.pin);
    expect(status.external_progress_review).toMatchObject({
      contract_revision: rig.pin,
      rebind_hint: 'newer_receipts_under_unpinned_revision',
    });
  });

  it('leaves receipts without authority, whatever a file says', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    for (const receipt of rig.receipts()) expect(receipt).not.toMatchObject({ authority: 'full' });
    expect((await rig.status()).external_progress_review?.authority).toBe('none');
  });
});
