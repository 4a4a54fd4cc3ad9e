import { diffLines } from 'diff';
import type { FileTransition } from '../../evaluator.ts';

/** One side of a file as text; null: the file is missing there. */
export interface TextChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** How a path differs between the checkpoints. */
export type ChangeKind = 'added' | 'deleted' | 'modified' | 'unchanged';

export function kindOf({ before, after }: TextChange): ChangeKind {
  if (before === after) return 'unchanged';
  if (before === null) return 'added';
  return after === null ? 'deleted' : 'modified';
}

/**
 * Both sides of each file as text, in the order of the paths; null when a file that changed is not UTF-8. One that is
 * not UTF-8 and did not change has nothing to say and is left out.
 */
export function readTextChanges(files: readonly FileTransition[]): TextChange[] | null {
  const changes: TextChange[] = [];
  for (const { path, before, after } of files) {
    try {
      changes.push({ path, before: textOf(before), after: textOf(after) });
    } catch {
      if (before === null || after === null || Buffer.compare(before, after) !== 0) return null;
    }
  }
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}

const textOf = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

// Myers' algorithm costs the square of the edits. A bound on edits, unlike one on time, gives the same text every
// time, and the text decides the request key.
const maxEdits = 1000;
const noLineEnd = '\\ no line end';

/**
 * The whole file as one list of lines, each marked `-` removed, `+` added or ` ` kept, so that nothing of either side
 * is lost. Beyond 1000 edited lines the two sides follow each other whole.
 */
export function describeChange({ before, after }: TextChange): string {
  const [old, now] = [before ?? '', after ?? ''];
  const parts = diffLines(old, now, { maxEditLength: maxEdits }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  return parts
    .filter(({ value }) => value !== '')
    .map(({ value, removed, added }) => mark(value, removed ? '-' : added ? '+' : ' '))
    .join('\n');
}

function mark(text: string, sign: string): string {
  const lines = text.split('\n');
  const complete = lines.at(-1) === '';
  if (complete) lines.pop();
  const marked = lines.map((line) => `${sign}${line}`);
  return (complete ? marked : [...marked, noLineEnd]).join('\n');
}
