import { describe, expect, it } from 'vitest';
import { blockerWords, claimWords, formObligation, makeAssistRig } from '../support/assist.ts';

describe('an agent that only churns under assist', () => {
  it('owes something, and leaves it with new evidence only', async () => {
    const rig = await makeAssistRig();
    for (const n of [1, 2, 3, 4]) await rig.turn(claimWords(`h-${n}`, 'tests-green'));
    await rig.drain();
    const status = await rig.status();
    expect(status).toMatchObject({ verdict: 'OBLIGATION OPEN', attempt: 'DRIFTING' });
    for (const finding of ['obligation', 'drifting', 'unobserved'])
      expect((await rig.drift(['status', '--fail-on', finding])).rc).toBe(finding === 'unobserved' ? 0 : 1);
    expect(status.external_progress_review).toMatchObject({
      mode: 'assist',
      receipt_count: 4,
      drift_counts: { noul: 4, choice: 4 },
      read_state: 'observed',
      authority: 'none',
    });
    expect(status.obligations).toHaveLength(1);
    const open = await rig.obligation();
    expect(open).toMatchObject({
      rc: 1,
      open: true,
      required: true,
      agent_id: 'scout',
      obligation_id: status.obligations[0]?.obligation_id,
      external_progress_review: { run_count: 4, consecutive_drift: 4 },
      requirements: { writeback_contract: { alternative_cli_semantic_args: ['--vision'] } },
    });

    await rig.turn(claimWords('h-2', 'tests-green'), { churn: false });
    await rig.drain();
    expect((await rig.obligation()).last_refusal?.reason_code).toBe('progress_observation_replayed');
    await rig.turn(claimWords('h-9', 'tests-green'), { churn: false });
    expect((await rig.drain()).claims).toMatchObject([
      { discharge: { accepted: false, reason_code: 'progress_identity_without_new_evidence' } },
    ]);
    expect((await rig.obligation()).last_refusal?.reason_code).toBe('progress_identity_without_new_evidence');

    await rig.turn(claimWords('h-9', 'run-41'), { churn: false });
    expect((await rig.drain()).claims).toMatchObject([
      { agent_id: 'scout', discharge: { accepted: true, satisfying_outcomes: ['new_hypothesis'] } },
    ]);
    expect(await rig.obligation()).toEqual({ rc: 0, open: false, goal_id: rig.goal });
    await rig.turn(claimWords('h-10', 'run-41'));
    await rig.drain();
    expect(await rig.obligation()).toMatchObject({ rc: 0, open: false });
    expect((await rig.status()).verdict).toBe('DRIFTING');
    await rig.turn(claimWords('h-11', 'run-41'));
    await rig.drain();
    const rearmed = await rig.obligation();
    expect(rearmed).toMatchObject({ open: true, external_progress_review: { run_count: 2 } });
    expect(rearmed.rearmed_after_obligation_id).toMatch(/^replan-/);
  });

  it('is not held to verdicts that nobody had when it made its claim', async () => {
    const rig = await makeAssistRig();
    for (const n of [1, 2, 3]) await rig.turn(claimWords(`h-${n}`, `ev-${n}`));
    await rig.drain();
    expect(await rig.obligation()).toMatchObject({ open: true, external_progress_review: { run_count: 3 } });
    await rig.turn(claimWords('h-4', 'ev-4'));
    await rig.drain();
    expect((await rig.obligation()).open).toBe(false);
  });

  it('may record a vision on its refresh', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    const vision = {
      vision_patch: { acceptance_summary: 'two of three criteria are met' },
      path_delta: { outcome: 'no_change', evidence_refs: ['review/1'] },
    };
    rig.write('../vision.json', JSON.stringify(vision));
    await rig.turn(['--vision', `${rig.dir}/vision.json`], { churn: false });
    await rig.drain();
    expect((await rig.obligation()).open).toBe(false);
    expect(rig.rows().at(-1)).toMatchObject({
      autonomous_replan_ack: { recorded: true, semantic_delta: { outcomes: ['fresh_vision_path_outcome'] } },
    });
  });

  it('is told apart by lane: what one agent acknowledges closes nothing of another', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a', 'scout');
    await formObligation(rig, 'b', 'pilot');
    expect((await rig.status()).obligations.map(({ agent_id }) => agent_id).sort()).toEqual([
      'pilot',
      'scout',
    ]);
    expect((await rig.ack(...claimWords('h', 'new-1'))).rc).toBe(2);
    expect(await rig.ack('--agent-id', 'pilot', ...claimWords('h', 'new-1'))).toMatchObject({
      rc: 0,
      accepted: true,
    });
    expect((await rig.status()).obligations.map(({ agent_id }) => agent_id)).toEqual(['scout']);
    expect(await rig.obligation('--agent-id', 'pilot')).toMatchObject({ rc: 0, open: false });
  });
});

describe('an obligation', () => {
  it('keeps its id through looks and silent turns; the first id printed still closes it', async () => {
    const rig = await makeAssistRig();
    const { obligation_id } = await formObligation(rig, 'a');
    for (let look = 0; look < 3; look += 1)
      expect((await rig.status()).obligations[0]?.obligation_id).toBe(obligation_id);
    await rig.turn([], { churn: false });
    await rig.drain();
    expect((await rig.obligation()).obligation_id).toBe(obligation_id);
    await rig.turn(claimWords('h-a-2', 'ev-a'));
    await rig.drain();
    expect((await rig.obligation()).obligation_id).not.toBe(obligation_id);
    const named = ['--agent-id', 'scout', '--obligation-id'];
    expect(await rig.ack(...named, 'replan-0123456789abcdef', ...claimWords('n', 'n-1'))).toMatchObject({
      rc: 1,
      reason_code: 'obligation_not_open',
    });
    expect(await rig.ack(...named, obligation_id, ...claimWords('n', 'n-1'))).toMatchObject({
      rc: 0,
      accepted: true,
    });
    await rig.turn(claimWords('h-a-3', 'ev-a'));
    await rig.drain();
    expect((await rig.obligation()).open).toBe(false);
    expect(await rig.ack(...named, obligation_id, ...claimWords('m', 'm-1'))).toMatchObject({
      rc: 1,
      status: 'no_open_obligation',
    });
  });

  it('is closed by every exit, pasted as it is printed', async () => {
    const rig = await makeAssistRig();
    const outcomes: string[] = [];
    for (let at = 0, count = 1; at < count; at += 1) {
      const { exits } = await formObligation(rig, `x${at}`);
      count = exits.length;
      const exit = exits[at];
      outcomes.push(exit?.outcome ?? '');
      const pasted = await rig.paste(exit?.command ?? 'false');
      expect(pasted, pasted.err).toMatchObject({ rc: 0 });
      expect(await rig.obligation()).toMatchObject({ rc: 0, open: false });
    }
    expect(outcomes).toEqual([
      'new_hypothesis',
      'new_surface',
      'new_probe_family',
      'new_concrete_blocker',
      'coverage_backed_exploration_exhausted',
      'coverage_backed_no_followup',
      'fresh_vision_path_outcome',
    ]);
  });

  it('is not closed twice by one blocker, under whatever name', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    expect((await rig.ack(...blockerWords('crane', 'log-1'))).rc).toBe(0);
    await formObligation(rig, 'b');
    for (const again of [
      blockerWords('crane', 'log-1'),
      blockerWords(' Crane ', 'LOG-1'),
      blockerWords('tug', 'log-1'),
    ])
      expect(await rig.ack(...again)).toMatchObject({ rc: 1, reason_code: 'progress_observation_replayed' });
    expect(await rig.ack(...blockerWords('tug', 'log-2'))).toMatchObject({ rc: 0, accepted: true });
  });

  it('of a repeated claim comes first, and offers no vision', async () => {
    const rig = await makeAssistRig();
    const stuck = ['--progress-result-class', 'unchanged', '--progress-surface-id', 'a.ts'];
    for (let n = 0; n < 2; n += 1) await rig.turn(stuck);
    await rig.drain();
    const open = await rig.obligation();
    expect(open.triggers?.[0]?.kind).toBe('typed_progress_repeat');
    expect(open.exits?.map(({ outcome }) => outcome)).not.toContain('fresh_vision_path_outcome');
    expect(open.requirements?.writeback_contract).not.toHaveProperty('alternative_cli_semantic_args');
  });

  it('takes a claim that a refresh recorded a moment ago', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    await rig.turn(claimWords('h-new', 'run-41'), { churn: false });
    expect(await rig.ack('--agent-id', 'scout', ...claimWords('h-new', 'run-41'))).toMatchObject({
      rc: 0,
      accepted: true,
    });
    await rig.drain();
    expect((await rig.obligation()).open).toBe(false);
  });

  it('prints a prompt that names the evidence already cited', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    const { rc, out } = await rig.drift(['obligation', '--prompt']);
    expect(rc).toBe(1);
    expect(out).toContain('Evidence ids already cited: ev-a.');
    expect(out).toContain('drift ack');
  });
});

describe('a goal owner', () => {
  it('ends an obligation by going back to shadow, or by another pin', async () => {
    const rig = await makeAssistRig();
    await formObligation(rig, 'a');
    await rig.configure('--progress-review-mode', 'shadow');
    expect(await rig.obligation()).toMatchObject({ rc: 0, open: false });
    await rig.configure('--progress-review-mode', 'assist');
    expect((await rig.obligation()).open).toBe(true);
    await rig.configure('--progress-review-contract-revision', 'f'.repeat(64));
    expect((await rig.obligation()).open).toBe(false);
    const status = await rig.status();
    expect(status.external_progress_review).toMatchObject({
      receipt_count: 0,
      stale_receipts: 2,
      rebind_hint: 'newer_receipts_under_unpinned_revision',
    });
    expect(status.unevaluated).toMatchObject({ other_revision: 2 });
    expect(status.assist_blockers).toMatchObject([{ reason: 'pin_differs_from_basis' }]);
    expect((await rig.paste(status.assist_blockers[0]?.cure ?? 'false')).rc).toBe(0);
    expect((await rig.obligation()).open).toBe(true);
  });

  it('reads why assist cannot fire, each with the command that cures it', async () => {
    const rig = await makeAssistRig({ pinned: false });
    expect((await rig.status()).external_progress_review).toMatchObject({
      assist_blocked_reason: 'contract_revision_unpinned',
    });
    const reasons = async () => (await rig.status()).assist_blockers.map(({ reason }) => reason);
    expect(await reasons()).toEqual(['contract_revision_unpinned', 'no_runs']);
    await rig.drift(['refresh', '--', 'true']);
    expect(await reasons()).toEqual(['contract_revision_unpinned', 'anonymous_runs', 'no_typed_claims']);
    const [pin] = (await rig.status()).assist_blockers;
    expect((await rig.paste(pin?.cure ?? 'false')).rc).toBe(0);
    expect(await reasons()).toEqual(['anonymous_runs', 'no_typed_claims']);
    await rig.configure('--clear-progress-review-configuration');
    expect(await rig.status()).not.toHaveProperty('external_progress_review');
    expect(await reasons()).toEqual(['policy_off']);
  });

  it('sees anonymous drift in the receipts, never in an obligation', async () => {
    const rig = await makeAssistRig();
    for (const n of [1, 2, 3]) {
      rig.write('a.ts', `export const limit${n} = 1;\n`);
      await rig.drift(['refresh', ...claimWords(`h-${n}`, 'ev'), '--', 'true']);
    }
    await rig.drain();
    const status = await rig.status();
    expect(status.obligations).toEqual([]);
    expect(status.assist_blockers.map(({ reason }) => reason)).toContain('anonymous_runs');
    expect(status.unevaluated['identity_conflict']).toBeGreaterThan(0);
  });
});
