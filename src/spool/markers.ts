import { dirname, join } from 'node:path';
import type { DriftEvent } from '../contract/event.ts';
import { makePrivateFolder, removeQuietly, syncFolder } from './durable-file.ts';
import { readEventFile } from './read-event.ts';
import { errorCode, listNames, type SpoolIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

/**
 * Markers answer "has this been seen?" with one `stat`, however long the history: each is a hard link to the event
 * that it speaks of. An enqueuer makes those of the newest event before it links its own, so a link that succeeds
 * proves that everything before it was visible to the look-up.
 */
type MarkerKind = 'id' | 'evidence' | 'state' | 'change';

const kinds: readonly MarkerKind[] = ['id', 'evidence', 'state', 'change'];

const markerFolder = (layout: StateLayout, kind: MarkerKind): string => `${layout.markers}/${kind}`;

/** One folder a kind: four to make durable, however many events went by. */
const markerPath = (layout: StateLayout, kind: MarkerKind, digest: string, suffix = ''): string =>
  `${markerFolder(layout, kind)}/${digest}${suffix}`;

const numbered = (start: number, count: number): string => `.${start}.${count}`;

/** Every marker of an event: its id, its evidence when it was queued, its state and its change within the chain. */
export function markersOf(layout: StateLayout, event: DriftEvent): string[] {
  const { start, state_visits, repetition } = event.chain;
  const markers = [markerPath(layout, 'id', event.event_id)];
  const changed = repetition > 0 || event.status === 'overlap';
  if (event.status === 'queued') markers.push(markerPath(layout, 'evidence', event.evidence_id));
  if (changed || start === event.sequence)
    markers.push(markerPath(layout, 'state', event.state_digest, numbered(start, state_visits)));
  if (repetition > 0)
    markers.push(markerPath(layout, 'change', event.change_digest, numbered(start, repetition)));
  return markers;
}

/** Makes the markers of an event; those that are there already stay. */
export function markEvent(io: SpoolIo, layout: StateLayout, event: DriftEvent): void {
  for (const marker of markersOf(layout, event)) linkMarker(io, layout.event(event.sequence), marker);
}

/** Makes the one marker that a damaged entry can still have: the id that its first line states. */
export function markDamaged(io: SpoolIo, layout: StateLayout, sequence: number, eventId: string): void {
  linkMarker(io, layout.event(sequence), markerPath(layout, 'id', eventId));
}

/** Makes every marker so far durable. */
export function syncMarkers(io: SpoolIo, layout: StateLayout): void {
  for (const folder of [...kinds.map((kind) => markerFolder(layout, kind)), layout.markers])
    try {
      syncFolder(io, folder);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
}

/**
 * Whether an entry is the first with its id; drain asks in sequence, and the marker becomes the first one's. The look-up
 * at capture rules a second one out as long as the machine stays up, but a power cut may take markers that no drain has
 * made durable yet. In a copied state a marker is no link any more, so where the files differ its own words decide.
 */
export function ownsId(io: SpoolIo, layout: StateLayout, { sequence, event_id }: DriftEvent): boolean {
  const file = markerPath(layout, 'id', event_id);
  const marker = io.statSync(file, { throwIfNoEntry: false });
  if (marker === undefined) {
    linkMarker(io, layout.event(sequence), file);
    return true;
  }
  if (marker.ino === io.statSync(layout.event(sequence), { throwIfNoEntry: false })?.ino) return true;
  const marked = readEventFile(io, file, null);
  if (!marked?.ok) return true;
  const { sequence: first } = marked.stored.event;
  if (first > sequence) takeMarker(io, layout, file, sequence);
  return first >= sequence;
}

/** The id of an entry that does not say it any more: its marker is the same file under the id's name. */
export function findIdByMarker(io: SpoolIo, layout: StateLayout, sequence: number): string | null {
  const entry = io.lstatSync(layout.event(sequence), { throwIfNoEntry: false });
  if (!entry?.isFile()) return null;
  const folder = markerFolder(layout, 'id');
  const isSame = (name: string): boolean =>
    io.lstatSync(join(folder, name), { throwIfNoEntry: false })?.ino === entry.ino;
  return listNames(io, folder).find(isSame) ?? null;
}

/** In one step, because a writer may look for the marker at any moment. */
function takeMarker(io: SpoolIo, layout: StateLayout, marker: string, sequence: number): void {
  const staged = join(layout.staging, `marker-${sequence}`);
  removeQuietly(io, staged);
  io.linkSync(layout.event(sequence), staged);
  io.renameSync(staged, marker);
}

function linkMarker(io: SpoolIo, file: string, marker: string): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      io.linkSync(file, marker);
      return;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      if (errorCode(error) !== 'ENOENT' || attempt > 0) throw error;
      makePrivateFolder(io, dirname(marker));
    }
  }
}

/** The look-ups that deciding a transition's status needs; each is a bounded number of `stat` calls. */
export interface SeenBefore {
  readonly event: (eventId: string) => boolean;
  readonly evidence: (evidenceId: string) => boolean;
  /** How often a state has been a checkpoint of the chain that began at `start`. */
  readonly stateVisits: (start: number, digest: string) => number;
  /** How often a change has been made in that chain. */
  readonly repetitions: (start: number, digest: string) => number;
}

export function seenBefore(io: SpoolIo, layout: StateLayout): SeenBefore {
  const has = (marker: string): boolean => io.statSync(marker, { throwIfNoEntry: false }) !== undefined;
  const count = (kind: MarkerKind, start: number, digest: string): number =>
    largestMarked((n) => has(markerPath(layout, kind, digest, numbered(start, n))));
  return {
    event: (id) => has(markerPath(layout, 'id', id)),
    evidence: (id) => has(markerPath(layout, 'evidence', id)),
    stateVisits: (start, digest) => count('state', start, digest),
    repetitions: (start, digest) => count('change', start, digest),
  };
}

/** The largest n for which every marker up to n exists, by doubling and halving: O(log n) look-ups. */
function largestMarked(has: (n: number) => boolean): number {
  let high = 1;
  while (has(high)) high *= 2;
  let low = Math.floor(high / 2);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (has(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Beyond this many ids, listing every marker is cheaper than looking each of them up. */
const LOOK_UPS = 2_000;

/** A set that holds those of the ids that belong to marked events of this observer: to all but its newest. */
export function markedAmong(io: SpoolIo, layout: StateLayout, ids: readonly string[]): Set<string> {
  if (ids.length > LOOK_UPS) return new Set(listNames(io, markerFolder(layout, 'id')));
  const has = (id: string): boolean =>
    io.statSync(markerPath(layout, 'id', id), { throwIfNoEntry: false }) !== undefined;
  return new Set(ids.filter((id) => /^[0-9a-f]{64}$/.test(id) && has(id)));
}

/**
 * The event files whose ids begin with `prefix`; a whole id costs one look, however many there are. The newest entry
 * may not be marked yet; callers look at it themselves.
 */
export function findMarked(io: SpoolIo, layout: StateLayout, prefix: string): string[] {
  const whole = markerPath(layout, 'id', prefix);
  if (/^[0-9a-f]{64}$/.test(prefix))
    return io.statSync(whole, { throwIfNoEntry: false }) === undefined ? [] : [whole];
  const folder = markerFolder(layout, 'id');
  return listNames(io, folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name));
}
