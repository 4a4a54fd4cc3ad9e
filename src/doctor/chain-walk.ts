import type { Finding } from '../contract/finding.ts';
import { digestsOf } from '../drain/find-entry.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import { readEvent } from '../spool/read-event.ts';
import type { SpoolIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import { hasEntry } from '../spool/tail.ts';

/** What every entry of the chain is shown to; nothing is kept of one, however many there are. */
export interface EntryVisitor {
  readonly intact: (stored: StoredEvent) => void;
  readonly find: (finding: Finding) => void;
  /** Called now and then. */
  readonly progress?: ((sequence: number) => void) | undefined;
}

const PROGRESS_EVERY = 1_000;

/** Reads every entry up to `tail`, in sequence. Unlike a drain's walk it makes nothing good: it only reads. */
export function walkChain(io: SpoolIo, layout: StateLayout, tail: number, visitor: EntryVisitor): void {
  const ids = new Map<string, number>();
  let before: readonly string[] = [];
  for (let sequence = 0; sequence <= tail; sequence += 1) {
    if (sequence % PROGRESS_EVERY === 0) visitor.progress?.(sequence);
    const file = layout.event(sequence);
    const decoded = readEvent(io, layout, sequence);
    if (decoded === null) {
      const last = endOfGap(io, layout, sequence, tail);
      visitor.find({ reason: 'entry_missing', file, detail: rangeOf(sequence, last) });
      sequence = last;
    } else if (!decoded.ok) visitor.find({ reason: 'entry_damaged', file, detail: decoded.damage });
    else if (isOutOfChain(decoded.stored, before))
      visitor.find({ reason: 'entry_damaged', file, detail: 'out_of_chain' });
    else {
      const { event_id } = decoded.stored.event;
      const first = ids.get(event_id);
      if (first !== undefined)
        visitor.find({ reason: 'entry_repeated', file, detail: `entry ${first} has this id` });
      else {
        ids.set(event_id, sequence);
        visitor.intact(decoded.stored);
      }
    }
    before = digestsOf(decoded);
  }
}

const isOutOfChain = ({ event: { prev } }: StoredEvent, before: readonly string[]): boolean =>
  before.length > 0 && prev !== null && !before.includes(prev);

function endOfGap(io: SpoolIo, layout: StateLayout, from: number, tail: number): number {
  let last = from;
  while (last + 1 <= tail && !hasEntry(io, layout, last + 1)) last += 1;
  return last;
}

const rangeOf = (first: number, last: number): string =>
  first === last ? `entry ${first}` : `entries ${first} to ${last}`;
