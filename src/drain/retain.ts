import type { LoadedObserver } from '../observer/load-observer.ts';
import { readCursor } from '../spool/cursor.ts';
import { retainTexts } from '../spool/retention.ts';
import { errorCode, nodeIo } from '../spool/spool-io.ts';

const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;

interface Retaining {
  readonly loaded: LoadedObserver;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** The events that the owner has labelled; left out: nothing is dropped. */
  readonly labelledIds?: (() => ReadonlySet<string>) | undefined;
}

/**
 * Retention as a drain does it: first of all, because on a full disk it makes the room that the drain needs, then once
 * an hour. A disk that refuses it has the drain to say so.
 */
export function retainHourly({ loaded, clock, labelledIds }: Retaining): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (!labelledIds || clock() - last < EVERY_MS) return;
    last = clock();
    try {
      retainNow(loaded, labelledIds());
    } catch (error) {
      if (!errorCode(error)) throw error;
    }
  };
}

function retainNow({ layout, config }: LoadedObserver, labelled: ReadonlySet<string>): void {
  retainTexts(nodeIo, layout, {
    finishedThrough: readCursor(nodeIo, layout) ?? -1,
    retainMs: config.retain_evidence_days * DAY_MS,
    isLabelled: (id) => labelled.has(id),
  });
}
