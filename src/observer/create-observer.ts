import { chmodSync, existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../contract/config.ts';
import type { Failure } from '../contract/failure.ts';
import type { Observer } from '../contract/observer.ts';
import { fail, ok, type Result } from '../contract/result.ts';
import { CaptureFailed } from '../shim/capture-failed.ts';
import { takeCheckpoint } from '../shim/take-checkpoint.ts';
import { makePrivateFolder, syncFolder } from '../spool/durable-file.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';
import { type StateLayout, stateFormat, stateLayout } from '../spool/state-layout.ts';
import { type InitRequest, type Plan, planObserver } from './plan-observer.ts';

export interface Created {
  readonly observer: Observer;
  readonly config: Config;
  readonly contractRevision: string;
  readonly scopeFileCount: number;
  /** Where the observer that was there before now lies. */
  readonly archive: string | null;
}

/** Checks everything first, then makes the observer and its first checkpoint; on a refusal nothing is left behind. */
export function createObserver(request: InitRequest): Result<Created, Failure> {
  const layout = stateLayout(request.state);
  if (existsSync(layout.observer) && !request.replace)
    return fail({ reason: 'state_exists', file: request.state });
  const plan = planObserver(request, layout);
  if (!plan.ok) return plan;
  const hadState = existsSync(request.state);
  const archive = archiveOld(layout, request);
  try {
    const scopeFileCount = build(plan.value, layout);
    const { observer, config, revision } = plan.value;
    return ok({ observer, config, contractRevision: revision, scopeFileCount, archive });
  } catch (error) {
    undo(request, layout, { hadState, archive });
    if (error instanceof CaptureFailed) return fail(captureRefusal(error, plan.value.observer.workspace));
    if (error instanceof Unsupported)
      return fail({ reason: 'filesystem_unsupported', file: request.state, detail: error.message });
    if (errorCode(error))
      return fail({ reason: 'write_failed', file: request.state, detail: errorCode(error) ?? '' });
    throw error;
  }
}

class Unsupported extends Error {}

/** Writes the state; the binding comes last, because it is what makes a folder an observer. */
function build(plan: Plan, layout: StateLayout): number {
  for (const folder of [
    plan.state,
    layout.staging,
    layout.events,
    layout.eventShard(0),
    layout.tally,
    layout.markers,
  ]) {
    makePrivateFolder(nodeIo, folder);
    chmodSync(folder, 0o700);
  }
  writePrivate(layout.ignore, '*\n');
  writePrivate(layout.format, `${stateFormat}\n`);
  refuseUnsupported(layout);
  if (plan.configText !== null) writePrivate(plan.configFile, plan.configText);
  if (plan.basisText !== null) writePrivate(layout.basis, plan.basisText);
  makePrivateFolder(nodeIo, plan.observer.runtime_root);
  const event = takeCheckpoint({
    layout,
    binding: { observer: plan.observer, scope: plan.config.scope, evaluator: plan.config.evaluator },
    contractRevision: plan.revision,
    configDigest: plan.configDigest,
    note: 'init',
  });
  writePrivate(layout.observer, `${JSON.stringify(plan.observer, null, 2)}\n`);
  for (const folder of [plan.state, dirname(plan.state)]) syncFolder(nodeIo, folder);
  return event.files.filter(({ role }) => role === 'declared').length;
}

/** The chain needs hard links within the state that refuse a name that is taken, and names that can be made durable. */
function refuseUnsupported(layout: StateLayout): void {
  const probe = join(layout.staging, 'probe');
  const linked = join(layout.eventShard(0), 'probe');
  try {
    writePrivate(probe, '');
    linkSync(probe, linked);
    syncFolder(nodeIo, layout.eventShard(0));
    if (linksTwice(probe, linked)) throw new Unsupported('link replaces a name that is taken');
  } catch (error) {
    const code = errorCode(error) ?? '';
    throw CANNOT.has(code) ? new Unsupported(code) : error;
  } finally {
    rmSync(probe, { force: true });
    rmSync(linked, { force: true });
  }
}

/** What a filesystem answers that lacks a call, in contrast to one that is full or not ours to write. */
const CANNOT: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EXDEV',
  'EMLINK',
  'EINVAL',
]);

function linksTwice(probe: string, linked: string): boolean {
  try {
    linkSync(probe, linked);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function writePrivate(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flush: true });
  chmodSync(file, 0o600);
}

const OBSERVER_ENTRIES = [
  'observer.json',
  'basis.json',
  'ev',
  'mark',
  'head',
  'tally',
  'cursor',
  'rcpt',
  'try',
  'floor',
  'dead',
  'aggregate.json',
  'drain.json',
  'mode',
  'shipped',
  'last-refresh.json',
  'labels.jsonl',
  's1',
];

/** Moves the old observer aside, its labels with it. What an interrupted init left is moved too. */
function archiveOld({ observer, events }: StateLayout, { state, now }: InitRequest): string | null {
  if (!existsSync(observer) && !existsSync(events)) return null;
  const archive = join(state, 'archive', now.replaceAll(':', '-'));
  makePrivateFolder(nodeIo, archive);
  // The binding goes first: from then on a refresh only passes through.
  for (const entry of OBSERVER_ENTRIES)
    if (existsSync(join(state, entry))) renameSync(join(state, entry), join(archive, entry));
  return archive;
}

function undo(
  { state }: InitRequest,
  layout: StateLayout,
  was: { hadState: boolean; archive: string | null },
): void {
  if (!was.hadState) {
    rmSync(state, { recursive: true, force: true });
    return;
  }
  for (const entry of [layout.observer, layout.events, layout.markers, layout.head])
    rmSync(entry, { recursive: true, force: true });
  if (was.archive === null) return;
  for (const entry of OBSERVER_ENTRIES) {
    const kept = join(was.archive, entry);
    if (!existsSync(kept)) continue;
    rmSync(join(state, entry), { recursive: true, force: true });
    renameSync(kept, join(state, entry));
  }
}

function captureRefusal({ reason }: CaptureFailed, workspace: string): Failure {
  return { reason: 'path_refused', file: workspace, field: 'path', detail: reason };
}
