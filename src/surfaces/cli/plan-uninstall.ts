import type { Failure } from '../../contract/failure.ts';
import { fail, ok, type Result } from '../../contract/result.ts';
import { readDrainMode } from '../../drain/drain-mode.ts';
import { configurePolicy } from '../../goal/configure-policy.ts';
import { locateRegistry, type RegistryPlace } from '../../goal/locate-registry.ts';
import { planUninstall } from '../../hosts/hook-settings.ts';
import { locateSettings, readSettings } from '../../hosts/settings-file.ts';
import type { FoundBinding } from '../../observer/load-observer.ts';
import { readStateContent, type StateContent } from '../../observer/remove-state.ts';
import { readLabels } from '../../readmodel/labels.ts';
import type { Io } from './io.ts';

/** What taking drift out of one workspace comes to; nothing is written by working it out. */
export interface Uninstall {
  readonly found: FoundBinding;
  /** The policy block in a registry of LoopX's; null where there is none. */
  readonly policy: RegistryPlace | null;
  /** The project's settings with drift's hooks in them, and the text without. */
  readonly hooks: { readonly file: string; readonly text: string } | null;
  /** Hooks that serve every project of this user; they stay. */
  readonly sharedHooks: string | null;
  readonly state: StateContent;
  readonly labels: number;
  /** The goal's own runtime, which keeps runs and receipts; null where it lies in the state. */
  readonly runtime: string | null;
}

/** Reasons: drain_mode_shipped, and those of reading the mode, the registry and the settings. */
export async function planUninstallation(found: FoundBinding, io: Io): Promise<Result<Uninstall, Failure>> {
  const { layout, observer, state } = found;
  const mode = readDrainMode(layout);
  if (!mode.ok) return mode;
  if (mode.value.mode !== 'local') return fail({ reason: 'drain_mode_shipped', file: layout.drainMode });
  const policy = await findPolicy(found, io);
  if (!policy.ok) return policy;
  const project = findHooks(locateSettings('claude-code', { cwd: observer.workspace, env: io.env }));
  if (!project.ok) return project;
  const shared = findHooks(locateSettings('codex', { cwd: observer.workspace, env: io.env }));
  return ok({
    found,
    policy: policy.value,
    hooks: project.value,
    sharedHooks: shared.ok && shared.value !== null ? shared.value.file : null,
    state: readStateContent(state),
    labels: readLabels(layout).size,
    runtime: observer.receipts === 'goal_runtime' ? observer.runtime_root : null,
  });
}

/** The observer's own registry goes with the state, and one that it shares with another observer is that one's. */
async function findPolicy(
  { layout, observer }: FoundBinding,
  io: Io,
): Promise<Result<RegistryPlace | null, Failure>> {
  const { goal_id: goalId, workspace, runtime_root: runtimeRoot } = observer;
  const where = { env: io.env, cwd: workspace, goalId, workspace, runtimeRoot };
  const place = locateRegistry({ ...where, own: layout.registry });
  if (place?.owner !== 'loopx') return ok(null);
  const plan = await configurePolicy({
    place,
    goalId,
    change: { kind: 'clear' },
    execute: false,
    now: io.now(),
  });
  if (!plan.ok) return plan;
  return ok(plan.value.changed ? place : null);
}

function findHooks(file: string): Result<Uninstall['hooks'], Failure> {
  const text = readSettings(file);
  if (!text.ok) return text;
  const plan = planUninstall(text.value);
  if (!plan.ok)
    return fail({ reason: 'json_invalid', file, field: plan.field, detail: 'it is left as it is' });
  return ok(plan.changed && plan.text !== null ? { file, text: plan.text } : null);
}
