import type { DriftEvent, FileState, TextPlace } from '../contract/event.ts';
import type { FileTransition } from '../evaluate/evaluator.ts';
import { readText } from '../spool/read-event.ts';
import type { SpoolIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';

const MAX_CACHED_BYTES = 67_108_864;

/** One side of a file: where its text lies and what it must be. */
interface Side {
  readonly text: TextPlace | null;
  readonly sha256: string | null;
  readonly size: number;
}

/** Texts by where they lie; an unchanged file is read once, not once per event. */
export class TextCache {
  readonly io: SpoolIo;
  readonly layout: StateLayout;
  private readonly texts = new Map<string, Buffer | null>();
  private bytes = 0;

  constructor(io: SpoolIo, layout: StateLayout) {
    this.io = io;
    this.layout = layout;
  }

  /** Null: gone, or not what was recorded. */
  read({ text, sha256, size }: Side): Buffer | null {
    if (text === null || sha256 === null) return null;
    const key = `${text.sequence}:${text.offset}`;
    const known = this.texts.get(key);
    if (known !== undefined) return known;
    const bytes = readText(this.io, this.layout, { place: text, size, sha256 });
    this.bytes += bytes?.length ?? 0;
    if (this.bytes > MAX_CACHED_BYTES) {
      this.texts.clear();
      this.bytes = bytes?.length ?? 0;
    }
    this.texts.set(key, bytes);
    return bytes;
  }
}

/** Why the texts of a transition cannot be given to an evaluator: `path` and a typed word. */
export interface CoverageGap {
  readonly path: string;
  readonly why: string;
}

/**
 * The files of a transition with both texts. A changed file without text on a side (binary, not UTF-8, too large, no
 * permission, or bytes that are gone) makes the coverage incomplete; an unreadable file that did not change does not.
 */
export function collectTransition(
  event: DriftEvent,
  cache: Pick<TextCache, 'read'>,
): { readonly files: FileTransition[]; readonly gaps: CoverageGap[] } {
  const files: FileTransition[] = [];
  const gaps: CoverageGap[] = [];
  for (const file of event.files) {
    const gap = gapOf(file, cache);
    if (gap) gaps.push({ path: file.path, why: gap });
    else if (file.state !== 'unreadable') files.push(bothSides(file, cache));
  }
  return { files, gaps };
}

const sideAfter = ({ text, sha256, stat }: FileState): Side => ({ text, sha256, size: stat?.size ?? 0 });

function gapOf(file: FileState, cache: Pick<TextCache, 'read'>): string | null {
  const { change, before, state, reason } = file;
  if (change && state === 'unreadable') return reason ?? 'unreadable';
  if (before?.state === 'unreadable') return before.reason ?? 'unreadable';
  const lost =
    (state === 'text' && cache.read(sideAfter(file)) === null) || (before && cache.read(before) === null);
  return lost ? 'text_unavailable' : null;
}

function bothSides(file: FileState, cache: Pick<TextCache, 'read'>): FileTransition {
  const after = cache.read(sideAfter(file));
  const before = file.change === undefined ? after : file.before ? cache.read(file.before) : null;
  return { path: file.path, role: file.role, before, after };
}
