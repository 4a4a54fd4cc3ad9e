import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimWords } from '../support/assist.ts';
import { acknowledgement, at, type Json, receipt, row } from '../support/history.ts';
import { makeRig, readLines } from '../support/rig.ts';

/** A project as LoopX leaves it: its registry in the workspace, its runtime apart, its index and nobody else's rows. */
async function makeLoopxGoal() {
  const rig = await makeRig({ files: { 'a.txt': 'one\n' } });
  const runs = join(rig.goalFolder, 'runs');
  const receipts = join(rig.goalFolder, 'progress-review', 'receipts');
  for (const folder of [runs, receipts, join(rig.work, '.loopx')]) mkdirSync(folder, { recursive: true });
  const registry = join(rig.work, '.loopx', 'registry.json');
  const goal = {
    id: rig.goal,
    domain: 'project-goal-control-plane',
    coordination: { registered_agents: ['scout'] },
    control_plane: { self_repair: { enabled: true } },
    guards: [],
  };
  const text = `${JSON.stringify({ schema_version: '0.1', common_runtime_root: rig.runtime, goals: [goal] }, null, 2)}\n`;
  writeFileSync(registry, text);
  const index = join(runs, 'index.jsonl');
  const { contract_revision: pin } = await rig.status();
  return {
    ...rig,
    index,
    registry,
    text,
    pin,
    addRows: (...rows: Json[]): void => {
      for (const each of rows)
        appendFileSync(
          index,
          `${JSON.stringify({ goal_id: rig.goal, json_path: `${runs}/${each['generated_at']}.json`, ...each })}\n`,
        );
    },
    addReceipts: (...all: Json[]): void => {
      for (const each of all) {
        const bound = { ...each, goal_id: rig.goal, contract_revision: pin };
        writeFileSync(join(receipts, `${each['event_id']}.json`), JSON.stringify(bound));
      }
    },
    assist: () =>
      rig.drift([
        'configure-goal',
        '--json',
        '--goal-id',
        rig.goal,
        '--progress-review-mode',
        'assist',
        '--progress-review-contract-revision',
        pin,
        '--execute',
      ]),
    obligation: async () => {
      const { rc, out } = await rig.drift(['obligation', '--json']);
      return { rc, ...JSON.parse(out) };
    },
  };
}

const spent = (n: number): Json => ({
  ...row(n),
  json_path: `/runs/${n}-quota-slot-spent.json`,
  classification: 'quota_slot_spent',
  progress_observation: undefined,
});

describe("a goal of LoopX's", () => {
  it('takes its policy in its own registry, and nothing else is touched', async () => {
    const goal = await makeLoopxGoal();
    const { rc, out } = await goal.assist();
    expect(rc).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      dry_run: false,
      written: true,
      registry: goal.registry,
      registry_owner: 'loopx',
      feature_summary: { progress_review: { mode: 'assist', contract_revision: goal.pin } },
    });
    expect(statSync(goal.registry).mode & 0o777).toBe(0o600);
    expect(
      (
        await goal.drift([
          'configure-goal',
          '--goal-id',
          goal.goal,
          '--clear-progress-review-configuration',
          '--execute',
        ])
      ).rc,
    ).toBe(0);
    expect(readFileSync(goal.registry, 'utf8')).toBe(goal.text);
  });

  it('owes what its rows and receipts say, past its bookkeeping, and its index is only read', async () => {
    const goal = await makeLoopxGoal();
    await goal.assist();
    goal.addRows(row(1), row(2), spent(2));
    goal.addReceipts(receipt(1), receipt(2));
    const before = readFileSync(goal.index, 'utf8');
    const open = await goal.obligation();
    expect(open).toMatchObject({
      rc: 1,
      open: true,
      agent_id: 'scout',
      external_progress_review: { run_count: 2 },
    });
    expect(open.requirements.required_any_of).toContain('new_runnable_successor');
    expect(open.requirements.writeback_contract.alternative_cli_semantic_args).toEqual([
      '--agent-vision-json',
    ]);
    for (const { command } of open.exits)
      expect(command).toMatch(/^loopx --registry \S+ --runtime-root \S+ --format json refresh-state /);
    expect((await goal.status()).verdict).toBe('OBLIGATION OPEN');
    await goal.drain();
    expect(readFileSync(goal.index, 'utf8')).toBe(before);
  });

  it('gets the command that carries a claim, which LoopX itself must record', async () => {
    const goal = await makeLoopxGoal();
    await goal.assist();
    goal.addRows(row(1), row(2));
    goal.addReceipts(receipt(1), receipt(2));
    const before = readFileSync(goal.index, 'utf8');
    const offered = await goal.drift(['ack', '--json', ...claimWords('h-9', 'new-9')]);
    expect(offered.rc).toBe(0);
    const { command, status, accepted } = JSON.parse(offered.out);
    expect({ status, accepted }).toEqual({ status: 'qualified', accepted: true });
    expect(command).toContain('--progress-hypothesis-id h-9 --progress-evidence-id new-9');
    expect(readFileSync(goal.index, 'utf8')).toBe(before);
    expect((await goal.obligation()).open).toBe(true);
    goal.addRows({ ...row(3), autonomous_replan_ack: acknowledgement(), classification: 'replan_noop' });
    expect((await goal.obligation()).open).toBe(false);
  });

  it('keeps the obligation that LoopX prints for a repeated claim, id and all', async () => {
    const goal = await makeLoopxGoal();
    await goal.assist();
    const progress_observation = {
      schema_version: 'typed_progress_observation_v0',
      result_class: 'unchanged',
      surface_id: 'src/retry.py',
      hypothesis_id: 'h3',
      probe_kind: 'unit_test',
      evidence_ids: ['ev-3'],
      fingerprint: '7bedd971ab57df4d',
    };
    const worker = { agent_id: 'worker', turn_instance_id: undefined, progress_observation };
    goal.addRows(row(1, worker), row(2, worker));
    expect(await goal.obligation()).toMatchObject({
      open: true,
      obligation_id: 'replan-596012414e043eef',
      frontier_identity: 'progress:7bedd971ab57df4d',
    });
  });

  it('names what in its receipts is none, and counts nothing of it', async () => {
    const goal = await makeLoopxGoal();
    await goal.assist();
    goal.addRows(row(1), row(2));
    goal.addReceipts(receipt(1), receipt(2, 'drift', { drift_signal: { noul: false, choice: true } }));
    const status = await goal.status();
    expect(status.external_progress_review).toMatchObject({ receipt_count: 1, rejected_receipts: 1 });
    expect(status.rejected_receipts[0]?.reason).toMatch(/signal_disagrees/);
    expect((await goal.obligation()).open).toBe(false);
  });

  it('has two rows of one second unattributed, as LoopX has', async () => {
    const goal = await makeLoopxGoal();
    await goal.assist();
    const silent = (n: number): Json =>
      row(n, { turn_instance_id: undefined, generated_at: at(5), json_path: `/runs/${n}.json` });
    goal.addRows(silent(1), silent(2));
    const run = { generated_at: at(5), turn_instance_id: null, agent_id: 'scout', todo_id: null };
    goal.addReceipts(receipt(1, 'drift', { run }), receipt(2, 'drift', { run }));
    expect((await goal.obligation()).open).toBe(false);
    expect((await goal.status()).unevaluated).toMatchObject({ unattributed: 2 });
  });
});

describe('lines of the index', () => {
  it('are never written by drift on LoopX, even when its rows look like claims', async () => {
    const goal = await makeLoopxGoal();
    await goal.assist();
    goal.addRows(row(1), row(2));
    goal.addReceipts(receipt(1), receipt(2));
    await goal.drain();
    goal.addRows(
      row(3, { progress_observation: { result_class: 'advanced', hypothesis_id: 'n', evidence_ids: ['n'] } }),
    );
    await goal.drain();
    expect(readLines(goal.index)).toHaveLength(3);
  });
});
