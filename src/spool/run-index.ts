import { closeSync, fchmodSync, fstatSync, rmSync } from 'node:fs';
import { openOrMakeFolder } from './durable-file.ts';
import { randomBytes } from './lazy-crypto.ts';
import { openForAppend, readAt, writeAll } from './private-file.ts';
import { nodeIo } from './spool-io.ts';
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
  const jsonPath = `${goal.runs}/${generatedAt.replace(/[:+]/g, '-')}-${runId}.json`;
  const { goal_id, classification, ...rest } = fields;
  const record = { generated_at: generatedAt, goal_id, classification, run_id: runId, ...rest };
  const bytes = `${JSON.stringify(record, null, 2)}\n`;
  writeNew(jsonPath, Buffer.from(bytes), goal.runs);
  appendIndexRow(goal.index, { ...record, json_path: jsonPath });
  return { generatedAt, jsonPath, bytes };
}

/** Appends one row in one write call, so that rows of several writers never mix; a line that was cut off stays alone. */
export function appendIndexRow(index: string, row: object): void {
  const fd = openForAppend(nodeIo, index);
  try {
    const { size } = fstatSync(fd);
    const cut = size > 0 && readAt(nodeIo, fd, size - 1, 1)[0] !== NEWLINE;
    writeAll(nodeIo, fd, Buffer.from(`${cut ? '\n' : ''}${JSON.stringify(row)}\n`));
  } finally {
    closeSync(fd);
  }
}

/** A record that cannot be written whole is no record. */
function writeNew(file: string, bytes: Buffer, folder: string): void {
  const fd = openOrMakeFolder(nodeIo, file, folder);
  try {
    fchmodSync(fd, 0o600);
    writeAll(nodeIo, fd, bytes);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
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
