import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimWords } from '../support/assist.ts';
import { filesBelow, makeRig } from '../support/rig.ts';

const requirement = {
  goal_id: 'demo-goal',
  agent_id: 'scout',
  todo_id: 'todo-1',
  contract_digest: 'digest',
  contract_revision: 1,
  todo_semantic_digest: 'semantic',
  criteria: [{ criterion_id: 'c-1', description: 'A download is tried at most three times' }],
};
const basis = JSON.stringify({
  objective: 'The client retries',
  acceptance: ['Words of the manifest, which nobody shall be judged by'],
  acceptance_scope: {
    registry_ref: '.loopx/registry.json',
    runtime_ref: 'runtime',
    agent_id: 'scout',
    todo_id: 'todo-1',
    criterion_ids: ['c-1'],
  },
});
const source = (name: string): string =>
  `export function retry(n: number): number {\n  const ${name} = n + 1;\n  return ${name};\n}\n`;

/** A goal whose acceptance somebody else keeps, in a file that the test edits. */
async function makeOwnedGoal() {
  const rig = await makeRig({ files: { 'a.ts': source('limit') }, basis, init: false });
  const owner = join(rig.dir, 'owner.json');
  const own = (change: object = {}): void =>
    writeFileSync(
      owner,
      JSON.stringify({
        schema_version: 'drift_acceptance_owner_v1',
        requirements: [{ ...requirement, ...change }],
      }),
    );
  mkdirSync(rig.state);
  const config = {
    schema_version: 'drift_config_v1',
    structural: { file_budget_ms: 10_000 },
    acceptance_owner: { file: owner },
  };
  writeFileSync(join(rig.state, 'config.json'), JSON.stringify(config));
  let turn = 0;
  return {
    ...rig,
    owner,
    own,
    init: () => rig.drift(rig.initWords),
    turn: (todo = 'todo-1') => {
      turn += 1;
      rig.write('a.ts', source(`limit${turn}`));
      return rig.drift([
        'refresh',
        '--agent-id',
        'scout',
        '--todo-id',
        todo,
        ...claimWords(`h-${turn}`, 'ev'),
        '--',
        'true',
      ]);
    },
    isOpen: async (): Promise<boolean> => JSON.parse((await rig.drift(['obligation', '--json'])).out).open,
  };
}

async function formed() {
  const goal = await makeOwnedGoal();
  goal.own();
  await goal.init();
  const { contract_revision: pin } = await goal.status();
  const words = ['--progress-review-mode', 'assist', '--progress-review-contract-revision', pin, '--execute'];
  await goal.drift(['configure-goal', '--goal-id', goal.goal, ...words]);
  await goal.turn();
  await goal.turn();
  await goal.drain();
  return { ...goal, pin };
}

describe('a basis that leaves acceptance to its owner', () => {
  it('is refused at init where the owner has no criteria; it never falls back to its own words', async () => {
    const goal = await makeOwnedGoal();
    expect(await goal.init()).toMatchObject({
      rc: 2,
      err: expect.stringContaining('owner.json does not exist'),
    });
    goal.own({ todo_id: 'another' });
    expect((await goal.init()).rc).toBe(2);
    goal.own();
    expect((await goal.init()).rc).toBe(0);
  });

  it('binds its receipts to the criteria and the files that were judged', async () => {
    const goal = await formed();
    expect(goal.receipts()[0]?.evidence_scope).toMatchObject({
      criterion_binding: {
        origin: 'goal_acceptance',
        todo_id: 'todo-1',
        contract_revision: 1,
        criterion_ids: ['c-1'],
      },
      coverage: 'declared_file_net_change',
      files: ['a.ts'],
    });
    expect((await goal.status()).external_progress_review?.latest).toMatchObject({ criterion_current: true });
    expect(await goal.isOpen()).toBe(true);
  });

  it('withdraws them while the criteria differ or cannot be read; files and pin stay', async () => {
    const goal = await formed();
    const receipts = () =>
      filesBelow(join(goal.goalFolder, 'progress-review')).map(({ path }) => readFileSync(path, 'utf8'));
    const before = receipts();
    const stale = { status: 'stale', reason: 'criterion_basis_unavailable', criterion_current: false };
    const changes: (() => void)[] = [
      () => goal.own({ contract_revision: 2 }),
      () => goal.own({ criteria: [{ criterion_id: 'c-1', description: 'Other words' }] }),
      () => goal.own({ goal_instance_id: 'ginst_2' }),
      () => rmSync(goal.owner),
    ];
    for (const change of changes) {
      change();
      const { external_progress_review: review } = await goal.status();
      expect(review).toMatchObject({
        contract_revision: goal.pin,
        stale_receipts: 2,
        drift_counts: { noul: 0, choice: 0 },
      });
      expect(review?.latest).toMatchObject({ ...stale, drift_signal: { noul: null, choice: null } });
      expect(await goal.isOpen()).toBe(false);
    }
    expect(receipts()).toEqual(before);
    goal.own();
    expect(await goal.isOpen()).toBe(true);
  });

  it('judges no turn of another todo, and none without its owner', async () => {
    const goal = await formed();
    await goal.turn('todo-2');
    await goal.drain();
    expect((await goal.status()).events[0]).toMatchObject({
      status: 'not_evaluated',
      reason: 'run_acceptance_scope_mismatch',
    });
    rmSync(goal.owner);
    await goal.turn();
    await goal.drain();
    expect((await goal.status()).events[0]).toMatchObject({
      status: 'not_evaluated',
      reason: 'criterion_basis_unavailable',
    });
  });
});
