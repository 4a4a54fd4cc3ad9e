import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { CaptureFailureReason, RunBinding } from '../contract/event.ts';
import { type JsonValue, parseStrictJson } from '../json/strict-json.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import { readSmallFile } from './binding.ts';
import type { CommandOutcome } from './command-outcome.ts';

const MAX_RECORD_BYTES = 4_194_304;
const MAX_NEW_ROWS_BYTES = 4_194_304;

/** Bookkeeping rows that are no work (contract §2). */
const NEUTRAL = new Set(['quota_slot_spent', 'quota_slot_voided', 'delivery_completion_spend_accounted_v0']);

/** The run that a LoopX refresh wrote, or why there is none to bind to (contract §1, design §6.4). */
export type RunIdentified =
  | { readonly run: RunBinding }
  | { readonly noRun: 'no_new_run' | 'goal_mismatch' }
  | { readonly failed: CaptureFailureReason };

type Fields = { readonly [key: string]: JsonValue };

interface Asked {
  readonly goalId: string;
  /** The wrapped words, for the goal and agent they name. */
  readonly command: readonly string[];
  readonly index: string;
  /** Size of the index before the command started. */
  readonly indexSize: number;
}

/** Words of a LoopX command line that ask for a dry run or are no `refresh-state` at all are not captured. */
export const isLoopxRefresh = (command: readonly string[]): boolean => command.includes('refresh-state');
export const isDryRun = (command: readonly string[]): boolean => command.includes('--dry-run');

/**
 * Identifies the run by the JSON that the command printed; where that was not seen or is no JSON, by the one row that
 * the command added to the goal's index for the goal and agent of its command line. A failed command is never read.
 */
export function identifyLoopxRun(outcome: CommandOutcome, asked: Asked): RunIdentified {
  if (outcome.exitCode !== 0) return { noRun: 'no_new_run' };
  const named = optionOf(asked.command, '--goal-id');
  if (named !== null && named !== asked.goalId) return { noRun: 'goal_mismatch' };
  const printed = outcome.stdoutTail === null || outcome.stdoutCut ? null : readPrinted(outcome.stdoutTail);
  return printed === null ? identifyByIndex(asked) : identifyByJson(printed, asked.goalId);
}

function readPrinted(bytes: Uint8Array): Fields | null {
  const parsed = parseStrictJson(Buffer.from(bytes).toString('utf8'));
  return parsed.ok ? asObject(parsed.value) : null;
}

function identifyByJson(printed: Fields, goalId: string): RunIdentified {
  if (printed['dry_run'] === true || printed['appended'] !== true) return { noRun: 'no_new_run' };
  if (printed['goal_id'] !== goalId) return { noRun: 'goal_mismatch' };
  const file = printed['json_path'];
  if (typeof file !== 'string' || file === '') return { failed: 'run_not_found' };
  return bindRecord(file, goalId);
}

/** The run file decides who worked on what; its bytes are what the drain checks again. */
function bindRecord(file: string, goalId: string): RunIdentified {
  const bytes = readSmallFile(file, MAX_RECORD_BYTES);
  const parsed = bytes === null ? null : parseStrictJson(bytes.toString('utf8'));
  const record = parsed?.ok ? asObject(parsed.value) : null;
  if (bytes === null || record === null) return { failed: 'run_unreadable' };
  if (record['goal_id'] !== goalId) return { noRun: 'goal_mismatch' };
  const generatedAt = textOf(record, 'generated_at');
  if (generatedAt === null) return { failed: 'run_unreadable' };
  return {
    run: {
      generated_at: generatedAt,
      turn_instance_id: textOf(record, 'turn_instance_id'),
      agent_id: textOf(record, 'agent_id'),
      todo_id: textOf(record, 'todo_id'),
      json_path: file,
      record_digest: sha256(bytes),
    },
  };
}

function identifyByIndex({ goalId, command, index, indexSize }: Asked): RunIdentified {
  const agent = optionOf(command, '--agent-id');
  const rows = newRows(index, indexSize).filter(
    (row) =>
      row['goal_id'] === goalId &&
      !NEUTRAL.has(String(row['classification'])) &&
      (agent === null || row['agent_id'] === agent),
  );
  if (rows.length > 1) return { failed: 'run_ambiguous' };
  const file = rows[0]?.['json_path'];
  if (rows.length === 0) return { noRun: 'no_new_run' };
  return typeof file === 'string' ? bindRecord(file, goalId) : { failed: 'run_unreadable' };
}

/** The rows past a size; a line that is no JSON object is skipped, as LoopX does. */
function newRows(index: string, from: number): Fields[] {
  let fd: number;
  try {
    fd = openSync(index, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return [];
  }
  try {
    const stat = fstatSync(fd);
    const length = stat.isFile() ? Math.min(Math.max(stat.size - from, 0), MAX_NEW_ROWS_BYTES) : 0;
    const bytes = Buffer.alloc(length);
    const text = bytes.subarray(0, readSync(fd, bytes, 0, length, from)).toString('utf8');
    return text.split('\n').flatMap((line) => {
      const parsed = parseStrictJson(line);
      const row = parsed.ok ? asObject(parsed.value) : null;
      return row ? [row] : [];
    });
  } finally {
    closeSync(fd);
  }
}

/** How large the index is now; 0 when it is not there yet. */
export const sizeOfIndex = (index: string): number => statSync(index, { throwIfNoEntry: false })?.size ?? 0;

function optionOf(words: readonly string[], flag: string): string | null {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return null;
  const word = words[at] ?? '';
  return word === flag ? (words[at + 1] ?? null) : word.slice(flag.length + 1);
}

const asObject = (value: JsonValue): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;

function textOf(record: Fields, key: string): string | null {
  const value = record[key];
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' || text.length > 200 ? null : text;
}
