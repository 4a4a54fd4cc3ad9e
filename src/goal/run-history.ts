import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../json/json-object.ts';
import { parseStrictJson } from '../json/strict-json.ts';
import { instantOf } from '../sentinel/instant.ts';
import { textOf } from '../sentinel/strip-text.ts';

/** How far back policy looks: this many rows of the index (design §8). */
const WINDOW_ROWS = 1_000;

const BLOCK_BYTES = 262_144;
/** A bound for an index whose lines are absurdly long; LoopX writes about 2 KB a row. */
const MAX_TAIL_BYTES = 33_554_432;
const NEWLINE = 0x0a;

/** The newest rows of a goal's run history. */
export interface RunHistory {
  /** `missing`: nobody has run yet. `unavailable`: the file is there and cannot be read. */
  readonly read_state: 'observed' | 'missing' | 'unavailable';
  /** Newest first, each a merged index row. */
  readonly rows: readonly JsonObject[];
  /** Lines of the window that are no JSON object; they are skipped, as LoopX does. */
  readonly skipped_lines: number;
  /** True when older rows exist. */
  readonly truncated: boolean;
  /** Size of the index when it was read. */
  readonly index_bytes: number;
}

/**
 * Reads the window of `index.jsonl` (contract §2, §3): lines with equal time and paths merge into the first of them,
 * later keys winning; rows are ordered by instant, later position first. It reads from the end, so its cost does not
 * grow with the history.
 */
export function readRunHistory(index: string, goalId: string, limit = WINDOW_ROWS): RunHistory {
  const none = { rows: [], skipped_lines: 0, truncated: false, index_bytes: 0 };
  let fd: number;
  try {
    fd = openSync(index, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const missing = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    return { read_state: missing ? 'missing' : 'unavailable', ...none };
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { read_state: 'unavailable', ...none };
    const tail = readTail(fd, stat.size, limit);
    const rows = orderRows(tail.rows).slice(0, limit);
    return {
      read_state: 'observed',
      rows: rows.map((row) => ({ ...row, goal_id: textOf(row['goal_id']) || goalId })),
      skipped_lines: tail.skipped,
      truncated: !tail.whole || tail.rows.length > limit,
      index_bytes: stat.size,
    };
  } catch {
    return { read_state: 'unavailable', ...none };
  } finally {
    closeSync(fd);
  }
}

interface IndexTail {
  /** Merged, oldest first. */
  readonly rows: readonly JsonObject[];
  readonly skipped: number;
  readonly whole: boolean;
}

/** Reads whole lines backwards until there are enough distinct rows. */
function readTail(fd: number, size: number, limit: number): IndexTail {
  let [from, skipped] = [size, 0];
  let cutLine = Buffer.alloc(0);
  let lines: JsonObject[] = [];
  const distinct = new Set<string>();
  while (from > 0 && distinct.size <= limit && size - from < MAX_TAIL_BYTES) {
    const length = Math.min(BLOCK_BYTES, from);
    from -= length;
    const block = Buffer.concat([readAt(fd, from, length), cutLine]);
    // The first line of a block may have begun in the block before.
    const firstEnd = from === 0 ? 0 : block.indexOf(NEWLINE) + 1;
    const whole = from === 0 || firstEnd > 0;
    cutLine = whole ? block.subarray(0, firstEnd) : block;
    if (!whole) continue;
    const parsed = parseLines(block.subarray(firstEnd).toString('utf8'));
    lines = [...parsed.rows, ...lines];
    for (const row of parsed.rows) distinct.add(rowKey(row));
    skipped += parsed.skipped;
  }
  return { rows: mergeRows(lines), skipped, whole: from === 0 };
}

function readAt(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, from));
}

function parseLines(text: string): { rows: JsonObject[]; skipped: number } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rows = lines.flatMap((line) => {
    const parsed = parseStrictJson(line);
    return parsed.ok && isJsonObject(parsed.value) ? [parsed.value as JsonObject] : [];
  });
  return { rows, skipped: lines.length - rows.length };
}

/** What two lines of the index have in common when they speak of one run (contract §2). */
export const rowKey = (row: JsonObject): string =>
  JSON.stringify(['generated_at', 'json_path', 'markdown_path'].map((field) => row[field] || ''));

function mergeRows(lines: readonly JsonObject[]): JsonObject[] {
  const merged = new Map<string, JsonObject>();
  for (const line of lines) {
    const key = rowKey(line);
    merged.set(key, { ...merged.get(key), ...line });
  }
  return [...merged.values()];
}

/** Newest first by instant; of one instant by text, then by position, as LoopX orders its own. */
function orderRows(rows: readonly JsonObject[]): JsonObject[] {
  return rows
    .map((row, position) => {
      const time = textOf(row['generated_at']);
      return { row, position, time, at: instantOf(time) ?? Number.NEGATIVE_INFINITY };
    })
    .sort((a, b) => {
      if (a.at !== b.at) return b.at > a.at ? 1 : -1;
      if (a.time !== b.time) return b.time > a.time ? 1 : -1;
      return b.position - a.position;
    })
    .map(({ row }) => row);
}
