import {
  type ChainFacts,
  type CommandRecord,
  type DriftEvent,
  type EventStatus,
  eventSchemaVersion,
  eventStatuses,
  type FileState,
  type RunBinding,
  type SessionLogNote,
} from '../contract/event.ts';
import type { Draft, Tail } from '../spool/enqueue.ts';
import { eventIdOfRun } from '../spool/event-id.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import type { SeenBefore } from '../spool/markers.ts';
import type { GitRef } from './git-ref.ts';
import type { Snapshot } from './snapshot.ts';

/** Everything that was observed of one transition, before its place in the chain is known. */
export interface Observed {
  readonly observer: { readonly observer_id: string; readonly goal_id: string; readonly epoch: number };
  readonly contractRevision: string;
  readonly configDigest: string;
  readonly evaluator: string;
  readonly host: 'generic' | 'loopx';
  /** ISO 8601, UTC. */
  readonly capturedAt: string;
  /** Null for a checkpoint. */
  readonly run: RunBinding | null;
  readonly command: CommandRecord | null;
  readonly note?: string;
  readonly sessionLog?: SessionLogNote;
  readonly waiting: boolean;
  readonly git: GitRef;
  readonly snapshot: Snapshot;
  /** The newest sequence number when the wrapper started. */
  readonly tailAtStart: number;
  readonly failuresSeen: number;
  /** Random; makes the id of an entry that has no turn and no run record. */
  readonly nonce: string;
}

/** Identifies an event for ever: by its turn where there is one, else by its run record (design §3). */
export function eventIdOf({ run, observer, nonce }: Pick<Observed, 'run' | 'observer' | 'nonce'>): string {
  if (run === null) return sha256(JSON.stringify({ checkpoint: nonce, observer: observer.observer_id }));
  return eventIdOfRun(run, observer.goal_id);
}

/** Decides what became of a transition (design §6, first that fits) and gives it its place in the chain. */
export function composeEvent(observed: Observed, tail: Tail | null, seen: SeenBefore): Draft {
  const before = tail?.stored?.event ?? null;
  const sequence = (tail?.sequence ?? -1) + 1;
  const { files, texts } = placeTexts(observed.snapshot, sequence);
  const stateDigest = digestOfState(files);
  const changed = files.filter((file) => file.change !== undefined);
  const changeDigest = digestOfChange(changed, before?.files ?? []);
  const breaks = chainBreak(observed, before, tail);
  const chain = chainFacts({
    before,
    breaks,
    sequence,
    stateDigest,
    changeDigest,
    changed: changed.length > 0,
    seen,
  });
  const evidenceId = sha256(
    JSON.stringify([observed.contractRevision, before?.state_digest ?? null, stateDigest, chain.repetition]),
  );
  const status =
    breaks ?? statusInChain(observed, { tail, chain, changed: changed.length > 0, seen, evidenceId });
  // An overlapping change is nobody's: it moves the state, but is no repetition of anything.
  const place = status === 'overlap' ? { ...chain, repetition: 0, cycle: false } : chain;
  const event: DriftEvent = {
    schema_version: eventSchemaVersion,
    sequence,
    event_id: eventIdOf(observed),
    evidence_id: evidenceId,
    prev: tail?.stored?.digest ?? tail?.statedDigest ?? null,
    status,
    observer_id: observed.observer.observer_id,
    goal_id: observed.observer.goal_id,
    contract_revision: observed.contractRevision,
    epoch: observed.observer.epoch,
    config_digest: observed.configDigest,
    captured_at: observed.capturedAt,
    host: observed.host,
    run: observed.run,
    command: observed.command,
    ...(observed.note === undefined ? {} : { note: observed.note }),
    ...(observed.sessionLog ? { session_log: observed.sessionLog } : {}),
    ...(observed.waiting ? { waiting: true } : {}),
    ref: observed.git.ref,
    state_digest: stateDigest,
    change_digest: changeDigest,
    chain: place,
    files,
    totals: addTotal(tail, status),
    failures_seen: observed.failuresSeen,
  };
  return { event, texts };
}

/** The statuses that begin a new chain, because the state before is not the one that the agent worked from. */
function chainBreak(
  observed: Observed,
  before: DriftEvent | null,
  tail: Tail | null,
): 'checkpoint' | 'baseline_reset' | 'branch_changed' | null {
  if (observed.run === null) return 'checkpoint';
  const reset =
    tail === null ||
    before === null ||
    before.contract_revision !== observed.contractRevision ||
    before.epoch !== observed.observer.epoch ||
    before.config_digest !== observed.configDigest ||
    before.failures_seen !== observed.failuresSeen;
  if (reset) return 'baseline_reset';
  return before.ref !== observed.git.ref || observed.git.inProgress ? 'branch_changed' : null;
}

interface Place {
  readonly tail: Tail | null;
  readonly chain: ChainFacts;
  readonly changed: boolean;
  readonly seen: SeenBefore;
  readonly evidenceId: string;
}

function statusInChain(observed: Observed, { tail, chain, changed, seen, evidenceId }: Place): EventStatus {
  if (tail !== null && tail.sequence > observed.tailAtStart) return 'overlap';
  if (!changed) return 'no_delta';
  if (seen.evidence(evidenceId)) return 'duplicate_evidence';
  // A model that has judged this very change would only be asked again.
  const asksAgain =
    chain.repetition > 1 && !chain.cycle && ['system-one', 'chat'].includes(observed.evaluator);
  return asksAgain ? 'duplicate_evidence' : 'queued';
}

interface ChainInput {
  readonly before: DriftEvent | null;
  readonly breaks: EventStatus | null;
  readonly sequence: number;
  readonly stateDigest: string;
  readonly changeDigest: string;
  readonly changed: boolean;
  readonly seen: SeenBefore;
}

/** A cycle is a second full round trip: a change made before leads to a state that was a checkpoint twice before. */
function chainFacts({
  before,
  breaks,
  sequence,
  stateDigest,
  changeDigest,
  changed,
  seen,
}: ChainInput): ChainFacts {
  if (breaks !== null || before === null)
    return { start: sequence, state_visits: 1, repetition: 0, revisit: false, cycle: false };
  const { start } = before.chain;
  if (!changed)
    return { start, state_visits: before.chain.state_visits, repetition: 0, revisit: false, cycle: false };
  const visits = seen.stateVisits(start, stateDigest) + 1;
  const repetition = seen.repetitions(start, changeDigest) + 1;
  return {
    start,
    state_visits: visits,
    repetition,
    revisit: visits > 1,
    cycle: repetition > 1 && visits > 2,
  };
}

/** Gives every changed text its place: offsets in the order of `files`, relative to the first text of the entry. */
function placeTexts(snapshot: Snapshot, sequence: number): { files: FileState[]; texts: Uint8Array[] } {
  const texts: Uint8Array[] = [];
  let offset = 0;
  const files = snapshot.files.map((file) => {
    const bytes = snapshot.texts.get(file.path);
    if (!bytes) return file;
    texts.push(bytes);
    const text = { sequence, offset };
    offset += bytes.length;
    return { ...file, text };
  });
  return { files, texts };
}

/** Contents where they are known, metadata where they are not: what two looks at one file agree on. */
function contentToken({ state, reason, sha256: digest, stat }: FileState): string {
  return `${state}:${reason ?? ''}:${digest ?? (stat === null ? '' : `${stat.size}@${stat.mtime_ms}`)}`;
}

function digestOfState(files: readonly FileState[]): string {
  const present = files.filter(({ state }) => state !== 'missing');
  return sha256(present.map((file) => `${file.path}\0${contentToken(file)}\n`).join(''));
}

function digestOfChange(changed: readonly FileState[], before: readonly FileState[]): string {
  const known = new Map(before.map((file) => [file.path, file]));
  const lines = changed.map((file) => {
    const old = known.get(file.path);
    return `${file.path}\0${old ? contentToken(old) : 'missing::'}\0${contentToken(file)}\n`;
  });
  return sha256(lines.join(''));
}

function addTotal(tail: Tail | null, status: EventStatus): Record<EventStatus, number> {
  const known = tail?.newestIntact?.event;
  const totals = Object.fromEntries(eventStatuses.map((name) => [name, known?.totals[name] ?? 0]));
  // Damaged entries between cannot say what they were; they wait for drain like any queued one.
  const damaged = (tail?.sequence ?? -1) - (known?.sequence ?? -1);
  totals['queued'] = (totals['queued'] ?? 0) + (tail === null ? 0 : damaged);
  totals[status] = (totals[status] ?? 0) + 1;
  return totals as Record<EventStatus, number>;
}
