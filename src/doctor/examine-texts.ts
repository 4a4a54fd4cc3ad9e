import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { FileState, TextPlace } from '../contract/event.ts';
import type { Finding } from '../contract/finding.ts';
import type { StoredEvent } from '../spool/event-format.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import { readText } from '../spool/read-event.ts';
import { nodeIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';

interface Text {
  readonly path: string;
  readonly place: TextPlace;
  readonly size: number;
  readonly sha256: string;
}

/** The texts that an entry carries itself must be whole or gone: retention leaves nothing, or zeros. */
export function findDamagedTexts(layout: StateLayout, { event }: StoredEvent): Finding[] {
  const file = layout.event(event.sequence);
  return event.files.flatMap((state) => {
    const text = textAfter(state);
    if (text === null || text.place.sequence !== event.sequence) return [];
    if (readText(nodeIo, layout, text) !== null || isDropped(file, text)) return [];
    return [{ reason: 'text_damaged', file, detail: text.path } as const];
  });
}

/** The texts that somebody still needs: a drain for both sides of a change, the next refresh for the side before its own. */
export function findMissingTexts(
  layout: StateLayout,
  { event }: StoredEvent,
  sides: 'both' | 'after',
): Finding[] {
  const texts = event.files.flatMap((state) =>
    [textAfter(state), sides === 'both' ? textBefore(state) : null].filter((text) => text !== null),
  );
  const lost = texts.filter((text) => readText(nodeIo, layout, text) === null);
  return [...new Set(lost.map(({ path, place }) => `${place.sequence} ${path}`))].map((key) => ({
    reason: 'text_missing',
    file: layout.event(Number(key.slice(0, key.indexOf(' ')))),
    detail: key.slice(key.indexOf(' ') + 1),
  }));
}

function textAfter({ path, text, sha256: digest, stat }: FileState): Text | null {
  return text && digest ? { path, place: text, size: stat?.size ?? 0, sha256: digest } : null;
}

function textBefore({ path, before }: FileState): Text | null {
  return before?.text && before.sha256
    ? { path, place: before.text, size: before.size, sha256: before.sha256 }
    : null;
}

const CHUNK = 65_536;
const zerosDigest = sha256(Buffer.alloc(0));

/** Cut off before it begins, or zeros to its end. */
function isDropped(file: string, { place, size, sha256: digest }: Text): boolean {
  if (digest === zerosDigest) return true;
  const there = Math.min(size, (statSync(file, { throwIfNoEntry: false })?.size ?? 0) - place.offset);
  if (there <= 0) return true;
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(CHUNK);
    for (let at = 0; at < there; at += CHUNK) {
      const count = readSync(fd, bytes, 0, Math.min(CHUNK, there - at), place.offset + at);
      if (bytes.subarray(0, count).some((byte) => byte !== 0)) return false;
    }
    return there === size;
  } finally {
    closeSync(fd);
  }
}
