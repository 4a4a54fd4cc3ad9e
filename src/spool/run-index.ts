import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { GoalLayout } from './state-layout.ts';

const NEWLINE = 0x0a;

/** A run as it was recorded. */
export interface RecordedRun {
  /** ISO 8601, whole seconds, with the local offset. */
  readonly generatedAt: string;
  readonly jsonPath: string;
  /** The run record's bytes. */
  readonly bytes: string;
}

/**
 * Writes a run record and appends its row to the goal's index, in the layout of LoopX (contract §2), so that one
 * reader serves both hosts. `run_id` is random and part of the path: two runs of one second stay two.
 *
 * @param now epoch milliseconds
 */
export function appendRun(
  goal: GoalLayout,
  fields: { readonly goal_id: string; readonly classification: string } & Readonly<Record<string, unknown>>,
  now: number,
): RecordedRun {
  const generatedAt = localSeconds(new Date(now));
  const runId = randomBytes(8).toString('hex');
  const jsonPath = join(goal.runs, `${generatedAt.replace(/[:+]/g, '-')}-${runId}.json`);
  const { goal_id, classification, ...rest } = fields;
  const record = { generated_at: generatedAt, goal_id, classification, run_id: runId, ...rest };
  const bytes = `${JSON.stringify(record, null, 2)}\n`;
  mkdirSync(goal.runs, { recursive: true, mode: 0o700 });
  writeNew(jsonPath, bytes);
  appendIndexRow(goal.index, { ...record, json_path: jsonPath });
  return { generatedAt, jsonPath, bytes };
}

/** Appends one row in one write call, so that rows of several writers never mix; a line that was cut off stays alone. */
export function appendIndexRow(index: string, row: object): void {
  const fd = openSync(index, 'a+', 0o600);
  try {
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1);
    const cut = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
    writeSync(fd, `${cut ? '\n' : ''}${JSON.stringify(row)}\n`);
  } finally {
    closeSync(fd);
  }
}

function writeNew(file: string, text: string): void {
  const fd = openSync(file, 'wx', 0o600);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** ISO 8601 with whole seconds and the local offset, as LoopX writes it: never `Z`. */
function localSeconds(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 19);
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
}
