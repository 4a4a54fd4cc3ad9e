import { dirname } from 'node:path';
import type { DriftEvent } from '../contract/event.ts';
import { dropTexts, textsNamedBy } from './drop-texts.ts';
import { replaceFile } from './durable-file.ts';
import { readFileClock } from './file-clock.ts';
import { readPrivateFile } from './private-file.ts';
import { readEvent } from './read-event.ts';
import { errorCode, type SpoolIo } from './spool-io.ts';
import type { StateLayout } from './state-layout.ts';

export const retentionSchemaVersion = 'drift_retention_v1';
const MAX_MARKS_BYTES = 1_048_576;
const MAX_LOOK_BACK = 16;
/** Entries that one pass looks at, at most: a drain has other things to do. */
const MAX_VISITED = 1_000;

/** How far retention has come, so that no pass looks at an entry twice. */
interface Marks {
  readonly schema_version: typeof retentionSchemaVersion;
  /** Every entry up to here has had its time, labelled or not. */
  readonly through: number;
  /** The same for those that were labelled when it came by. */
  readonly labelled_through: number;
  /** Entries at or before these that a checkpoint still named. */
  readonly held: readonly number[];
}

const noMarks: Marks = {
  schema_version: retentionSchemaVersion,
  through: -1,
  labelled_through: -1,
  held: [],
};

export interface RetentionTerms {
  /** The last entry that drain has finished; text of later ones is still needed. */
  readonly finishedThrough: number;
  /** How long the text of a labelled event stays; that of an unlabelled one stays twice as long. */
  readonly retainMs: number;
  readonly isLabelled: (eventId: string) => boolean;
}

/**
 * Drops the raw text of old entries (design §3), with the drain lock held: of labelled events after `retainMs`, of all
 * after twice that, never what the newest checkpoint names. Ages are told by the filesystem's own clock. Labels, results,
 * receipts and the entries' heads stay, so no sequence number is ever free again. A cut anywhere costs a repetition.
 * Gives back how many bytes of text it dropped.
 */
export function retainTexts(io: SpoolIo, layout: StateLayout, terms: RetentionTerms): number {
  const keeper = newestIntact(io, layout, terms.finishedThrough);
  if (keeper === null) return 0;
  const marks = readRetention(io, layout) ?? noMarks;
  const due = findDue(io, layout, { marks, terms, keeper: keeper.sequence });
  const wanted = [...new Set([...marks.held, ...due.entries])];
  const moved = { ...noMarks, through: due.through, labelled_through: due.labelledThrough };
  // What is begun is on record first: a text that was half dropped has a new mtime, and would pass for young.
  if (due.entries.length > 0) noteBegun(io, layout, { ...moved, held: wanted });
  const named = textsNamedBy(keeper);
  const dropped = wanted.map((sequence) => ({ sequence, ...dropTexts(io, layout, sequence, named) }));
  const held = dropped.filter(({ kept }) => kept.length > 0).map(({ sequence }) => sequence);
  const isNews =
    due.entries.length > 0 ||
    held.length !== marks.held.length ||
    due.through !== marks.through ||
    due.labelledThrough !== marks.labelled_through;
  if (isNews) writeMarks(io, layout, { ...moved, held });
  return dropped.reduce((sum, { bytes }) => sum + bytes, 0);
}

interface Due {
  readonly entries: readonly number[];
  readonly through: number;
  readonly labelledThrough: number;
}

/** Goes on from the marks for as long as the entries that follow have had their time, and names those to be dropped. */
function findDue(
  io: SpoolIo,
  layout: StateLayout,
  { marks, terms, keeper }: { marks: Marks; terms: RetentionTerms; keeper: number },
): Due {
  const now = readFileClock(io, layout.staging);
  const isOlder = (sequence: number, ms: number): boolean => now - (mtimeOf(io, layout, sequence) ?? 0) > ms;
  const entries: number[] = [];
  let visited = 0;
  const walk = (from: number, step: (sequence: number) => 'drop' | 'pass' | 'stop'): number => {
    for (let at = from; ; at += 1) {
      const next = at + 1 > keeper || visited >= MAX_VISITED ? 'stop' : step(at + 1);
      if (next === 'stop') return at;
      if (next === 'drop') entries.push(at + 1);
      visited += 1;
    }
  };
  const through = walk(marks.through, (sequence) => {
    if (isOlder(sequence, 2 * terms.retainMs)) return 'drop';
    // What was dropped before its time has a new mtime, and must not hold up those behind it.
    return marks.held.includes(sequence) || isBare(io, layout, sequence) ? 'pass' : 'stop';
  });
  const labelledThrough = walk(Math.max(through, marks.labelled_through), (sequence) => {
    if (!isOlder(sequence, terms.retainMs)) return 'stop';
    return isLabelledEntry(io, layout, sequence, terms) ? 'drop' : 'pass';
  });
  return { entries, through, labelledThrough };
}

function newestIntact(io: SpoolIo, layout: StateLayout, from: number): DriftEvent | null {
  for (let n = from; n >= 0 && n > from - MAX_LOOK_BACK; n -= 1) {
    const decoded = readEvent(io, layout, n);
    if (decoded?.ok) return decoded.stored.event;
  }
  return null;
}

const mtimeOf = (io: SpoolIo, layout: StateLayout, sequence: number): number | undefined =>
  io.lstatSync(layout.event(sequence), { throwIfNoEntry: false })?.mtimeMs;

function isBare(io: SpoolIo, layout: StateLayout, sequence: number): boolean {
  const decoded = readEvent(io, layout, sequence);
  const size = io.lstatSync(layout.event(sequence), { throwIfNoEntry: false })?.size;
  return decoded?.ok === true && size === decoded.stored.contentAt;
}

/** Lets the next pass drop what an owner wants gone as soon as no checkpoint names it, whatever its age. */
export function dropLater(io: SpoolIo, layout: StateLayout, sequence: number): void {
  const marks = readRetention(io, layout) ?? noMarks;
  writeMarks(io, layout, { ...marks, held: [...new Set([...marks.held, sequence])] });
}

function isLabelledEntry(
  io: SpoolIo,
  layout: StateLayout,
  sequence: number,
  { isLabelled }: RetentionTerms,
): boolean {
  const decoded = readEvent(io, layout, sequence);
  return decoded?.ok === true && isLabelled(decoded.stored.event.event_id);
}

/** Null: there are none yet, or they cannot be read; then it starts over, which drops nothing that it would not drop anyway. */
export function readRetention(io: SpoolIo, layout: StateLayout): Marks | null {
  try {
    const bytes = readPrivateFile(io, layout.floor, MAX_MARKS_BYTES);
    const marks = JSON.parse(bytes?.toString('utf8') ?? '') as Marks;
    const isWhole =
      marks.schema_version === retentionSchemaVersion &&
      [marks.through, marks.labelled_through, ...marks.held].every(Number.isSafeInteger);
    return isWhole ? marks : null;
  } catch {
    return null;
  }
}

/** A full disk cannot take the note, and dropping is what makes room there. */
function noteBegun(io: SpoolIo, layout: StateLayout, marks: Marks): void {
  try {
    writeMarks(io, layout, marks);
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC') throw error;
  }
}

function writeMarks(io: SpoolIo, layout: StateLayout, marks: Marks): void {
  const bytes = Buffer.from(`${JSON.stringify(marks)}\n`);
  replaceFile(io, layout.floor, bytes, { staging: layout.staging, folder: dirname(layout.floor) });
}
