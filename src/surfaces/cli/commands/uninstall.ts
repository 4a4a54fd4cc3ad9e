import type { Failure } from '../../../contract/failure.ts';
import { ok, type Result } from '../../../contract/result.ts';
import { configurePolicy } from '../../../goal/configure-policy.ts';
import { writeSettings } from '../../../hosts/settings-file.ts';
import { findBinding } from '../../../observer/load-observer.ts';
import { removeState } from '../../../observer/remove-state.ts';
import { type Answer, defineCommand } from '../command.ts';
import type { Io } from '../io.ts';
import { planUninstallation, type Uninstall } from '../plan-uninstall.ts';

export const command = defineCommand({
  usage: 'uninstall [--execute]',
  describe:
    "Takes drift out of a workspace: the hooks in the project's settings, the goal's policy block in a LoopX registry, and the state with its labels. A preview unless --execute. Receipts under a runtime root of the goal's own stay.",
  examples: [
    ['drift uninstall', 'show what would go, and what stays'],
    ['drift uninstall --execute', 'do it'],
  ],
  build: (yargs) =>
    yargs.option('execute', { type: 'boolean', default: false, describe: 'remove it, not only show it' }),
  run: async (args, io) => {
    const found = findBinding({ stateDir: args.stateDir, env: io.env, cwd: io.cwd });
    if (!found.ok) return found;
    const plan = await planUninstallation(found.value, io);
    if (!plan.ok) return plan;
    if (args.execute) {
      const removed = await removeState(found.value.state, () => removeShared(plan.value, io));
      if (!removed.ok) return removed;
    }
    return ok(answer(plan.value, args.execute));
  },
});

/** What others share goes first: where that cannot be changed, the state is still whole. */
async function removeShared({ policy, hooks, found }: Uninstall, io: Io): Promise<Result<unknown, Failure>> {
  if (policy !== null) {
    const goalId = found.observer.goal_id;
    const cleared = await configurePolicy({
      place: policy,
      goalId,
      change: { kind: 'clear' },
      execute: true,
      now: io.now(),
    });
    if (!cleared.ok) return cleared;
  }
  return hooks === null ? ok(null) : writeSettings(hooks.file, hooks.text);
}

function answer(
  { found, policy, hooks, sharedHooks, state, labels, runtime }: Uninstall,
  executed: boolean,
): Answer {
  const document = {
    schema: 'drift_uninstall_v1',
    executed,
    goal_id: found.observer.goal_id,
    policy: policy?.file ?? null,
    hooks: hooks?.file ?? null,
    state: found.state,
    state_entries: state.ours,
    labels,
    kept: { strangers: state.strangers, runtime_root: runtime, hooks: sharedHooks },
  };
  const goes = [
    ...(policy ? [`policy block of ${found.observer.goal_id} in ${policy.file}`] : []),
    ...(hooks ? [`hooks in ${hooks.file}`] : []),
    `state in ${found.state}, with ${labels} label${labels === 1 ? '' : 's'}`,
  ];
  const stays = [
    ...(runtime ? [`runs and receipts in ${runtime}`] : []),
    ...state.strangers.map((name) => `${found.state}/${name}, which is not drift's`),
    ...(sharedHooks ? [`hooks in ${sharedHooks}, for every project: drift hook uninstall --host codex`] : []),
  ];
  const text = [
    ...goes.map((what) => `${executed ? 'removed' : 'would go'}  ${what}`),
    ...stays.map((what) => `stays     ${what}`),
    executed
      ? 'Take "drift refresh --" off the refresh command; until then it only passes through.'
      : 'Preview; nothing was removed. Add --execute to remove it.',
  ].join('\n');
  return { document, text };
}
