import { whyStale } from '../../drain/judge-event.ts';
import type { LoadedObserver } from '../../observer/load-observer.ts';
import { readEvent, readEventHead, readText } from '../../spool/read-event.ts';
import type { SpoolIo } from '../../spool/spool-io.ts';
import { type NeededText, neededTexts } from '../needed-texts.ts';

const MAX_EVENTS = 64;
/** Bytes of heads and of texts that the events name. */
const MAX_BATCH_BYTES = 8_388_608;

/** One entry as it is pushed. A damaged one keeps its number and whatever its first line still says. */
export interface Shipment {
  readonly sequence: number;
  readonly eventId: string | null;
  readonly digest: string | null;
  readonly prev: string | null;
  readonly status: string;
  readonly stale: string | null;
  readonly head: string | null;
  readonly capturedAt: string | null;
}

export interface Batch {
  readonly shipments: readonly Shipment[];
  /** By digest. */
  readonly texts: ReadonlyMap<string, NeededText>;
}

/** The entries from `from` to `tail`, as many as fit one transaction; at least one where there is one. */
export function composeBatch(
  io: SpoolIo,
  loaded: LoadedObserver,
  { from, tail }: { readonly from: number; readonly tail: number },
): Batch {
  const shipments: Shipment[] = [];
  const texts = new Map<string, NeededText>();
  let bytes = 0;
  for (let n = from; n <= tail && shipments.length < MAX_EVENTS && bytes < MAX_BATCH_BYTES; n += 1) {
    const read = readEventHead(io, loaded.layout, n);
    if (read === null) {
      shipments.push(damagedEntry(io, loaded, n));
      continue;
    }
    const { event, digest } = read.stored;
    const queued = event.status === 'queued';
    const stale = queued ? whyStale(loaded, event) : null;
    const head = read.head.toString('utf8');
    shipments.push({
      sequence: n,
      eventId: event.event_id,
      digest,
      prev: event.prev,
      status: event.status,
      stale,
      head,
      capturedAt: event.captured_at,
    });
    bytes += head.length;
    if (!queued || stale !== null) continue;
    for (const text of neededTexts(event)) {
      if (!texts.has(text.sha256)) bytes += text.size;
      texts.set(text.sha256, text);
    }
  }
  return { shipments, texts };
}

function damagedEntry(io: SpoolIo, { layout }: LoadedObserver, sequence: number): Shipment {
  const decoded = readEvent(io, layout, sequence);
  const known = decoded?.ok === false ? decoded : null;
  return {
    sequence,
    eventId: known?.eventId ?? null,
    digest: known?.statedDigest ?? null,
    prev: null,
    status: 'damaged',
    stale: null,
    head: null,
    capturedAt: null,
  };
}

/** The bytes of the texts that are still there; what retention has removed is missing on every machine. */
export function readTexts(io: SpoolIo, { layout }: LoadedObserver, texts: readonly NeededText[]): Buffer[] {
  return texts.flatMap((text) => readText(io, layout, text) ?? []);
}
