import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandRecord, RunBinding } from '../contract/event.ts';
import { sha256 } from '../spool/event-format.ts';
import type { GoalLayout } from '../spool/state-layout.ts';

/** What the wrapper of a generic host knows of a run. */
export interface GenericRun {
  readonly goalId: string;
  readonly agentId: string | null;
  readonly todoId: string | null;
  readonly turnId: string | null;
  readonly command: CommandRecord;
  /** Raw typed claim of the agent (contract §2); judged off this path. */
  readonly claim: Readonly<Record<string, unknown>> | null;
  /** Raw vision object of the agent. */
  readonly vision: unknown;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Writes the run record and appends its row to the goal's index, in the layout of LoopX (contract §2), so that one
 * reader serves both hosts. `run_id` is random and part of the path: two runs of one second stay two.
 */
export function appendGenericRun(goal: GoalLayout, run: GenericRun): RunBinding {
  const generatedAt = localSeconds(new Date(run.now));
  const runId = randomBytes(8).toString('hex');
  const jsonPath = join(goal.runs, `${generatedAt.replace(/[:+]/g, '-')}-${runId}.json`);
  const identity = {
    ...(run.agentId === null ? {} : { agent_id: run.agentId, agent_lane: run.agentId }),
    ...(run.todoId === null ? {} : { todo_id: run.todoId }),
    ...(run.turnId === null ? {} : { turn_instance_id: run.turnId }),
  };
  const record = {
    generated_at: generatedAt,
    goal_id: run.goalId,
    classification: 'drift_refresh',
    run_id: runId,
    ...identity,
    command: run.command,
    ...(run.claim === null ? {} : { progress_observation: run.claim }),
    ...(run.vision === undefined ? {} : { agent_vision: run.vision }),
  };
  const bytes = `${JSON.stringify(record, null, 2)}\n`;
  const row = `${JSON.stringify({ ...record, json_path: jsonPath })}\n`;
  mkdirSync(goal.runs, { recursive: true, mode: 0o700 });
  writeWhole(jsonPath, 'wx', bytes);
  writeWhole(goal.index, 'a', row);
  return {
    generated_at: generatedAt,
    turn_instance_id: run.turnId,
    agent_id: run.agentId,
    todo_id: run.todoId,
    json_path: jsonPath,
    record_digest: sha256(bytes),
  };
}

/** One write call, so that rows of several writers never mix. */
function writeWhole(file: string, flag: string, text: string): void {
  const fd = openSync(file, flag, 0o600);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** ISO 8601 with whole seconds and the local offset, as LoopX writes it: never `Z`. */
export function localSeconds(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, 19);
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
}
