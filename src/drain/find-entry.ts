import type { DecodedEvent, EventDamage, StoredEvent } from '../spool/event-format.ts';
import { findIdByMarker, ownsId } from '../spool/markers.ts';
import { readEvent } from '../spool/read-event.ts';
import type { SpoolIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import { hasEntry } from '../spool/tail.ts';

/** What lies at one place of the chain, or at a run of places that hold nothing. */
export type FoundEntry =
  | { readonly kind: 'intact'; readonly sequence: number; readonly stored: StoredEvent }
  /** Its id was taken by an earlier entry, whose receipt stands. */
  | { readonly kind: 'repeated'; readonly sequence: number; readonly stored: StoredEvent }
  | {
      readonly kind: 'damaged';
      readonly sequence: number;
      readonly damage: EventDamage | 'out_of_chain';
      readonly eventId: string | null;
      readonly digests: readonly string[];
    }
  /** Nothing from `first` to `sequence`, though entries follow: a disk has lost what it promised to keep. */
  | { readonly kind: 'gap'; readonly first: number; readonly sequence: number };

interface Place {
  readonly sequence: number;
  /** The newest entry; a gap ends before it. */
  readonly tail: number;
  /** What the entry before may be called by its successor; empty where there is nothing to compare with. */
  readonly before: readonly string[];
}

/** Reads one place of the chain and says what is there; asked in sequence. Nothing is thrown for damage. */
export function findEntry(io: SpoolIo, layout: StateLayout, { sequence, tail, before }: Place): FoundEntry {
  const decoded = readEvent(io, layout, sequence);
  if (decoded === null)
    return { kind: 'gap', first: sequence, sequence: endOfGap(io, layout, sequence, tail) };
  if (!decoded.ok)
    return {
      kind: 'damaged',
      sequence,
      damage: decoded.damage,
      eventId: decoded.eventId ?? findIdByMarker(io, layout, sequence),
      digests: digestsOf(decoded),
    };
  const { stored } = decoded;
  const { prev, event_id: eventId } = stored.event;
  if (before.length > 0 && prev !== null && !before.includes(prev))
    return { kind: 'damaged', sequence, damage: 'out_of_chain', eventId, digests: [stored.digest] };
  return { kind: ownsId(io, layout, stored.event) ? 'intact' : 'repeated', sequence, stored };
}

function endOfGap(io: SpoolIo, layout: StateLayout, from: number, tail: number): number {
  let last = from;
  while (last + 1 < tail && !hasEntry(io, layout, last + 1)) last += 1;
  return last;
}

/**
 * What a successor may call this entry. Where line 1 and the JSON disagree, either may be the damaged one; damage stays
 * with the entry that has it.
 */
export function digestsOf(decoded: DecodedEvent | null): string[] {
  if (decoded === null) return [];
  if (decoded.ok) return [decoded.stored.digest];
  return [decoded.statedDigest, decoded.contentDigest].filter((digest) => digest !== null);
}

/** The same for an entry in hand. */
export function digestsOfEntry(entry: FoundEntry): readonly string[] {
  if (entry.kind === 'gap') return [];
  return entry.kind === 'damaged' ? entry.digests : [entry.stored.digest];
}
