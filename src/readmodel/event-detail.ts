import { createTwoFilesPatch } from 'diff';
import type { FileState } from '../contract/event.ts';
import { TextCache } from '../drain/transition-input.ts';
import { nodeIo } from '../spool/spool-io.ts';
import type { StateLayout } from '../spool/state-layout.ts';
import type { FoundEvent } from './find-event.ts';

const MAX_DIFF_BYTES = 262_144;

/** The change of one file: a unified diff while both texts are retained, else the reason why there is none. */
export interface FileDiff {
  readonly path: string;
  readonly change: string;
  readonly diff: string | null;
  readonly unavailable?: string;
}

/** Diffs of the changed files of an event, for its owner's eyes only. */
export function diffEvent(layout: StateLayout, { stored }: FoundEvent): FileDiff[] {
  const cache = new TextCache(nodeIo, layout);
  return stored.event.files.flatMap((file) => (file.change ? [diffFile(file, file.change, cache)] : []));
}

function diffFile(file: FileState, change: string, cache: TextCache): FileDiff {
  const { path, state, before } = file;
  const unreadable =
    state === 'unreadable' ? file.reason : before?.state === 'unreadable' ? before.reason : undefined;
  if (unreadable) return { path, change, diff: null, unavailable: unreadable };
  const after = state === 'missing' ? '' : textOf(cache.read({ ...file, size: file.stat?.size ?? 0 }));
  const earlier = before ? textOf(cache.read(before)) : '';
  if (after === null || earlier === null)
    return { path, change, diff: null, unavailable: 'text_not_retained' };
  if (after.length + earlier.length > MAX_DIFF_BYTES)
    return { path, change, diff: null, unavailable: 'too_large_to_show' };
  return { path, change, diff: createTwoFilesPatch(path, path, earlier, after, 'before', 'after') };
}

const textOf = (bytes: Buffer | null): string | null => bytes?.toString('utf8') ?? null;
