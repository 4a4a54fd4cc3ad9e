import type { CommandRecord, RunBinding } from '../contract/event.ts';
import { sha256 } from '../spool/lazy-crypto.ts';
import { appendRun } from '../spool/run-index.ts';
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

/** Records a run of a generic host and binds to it. */
export function appendGenericRun(goal: GoalLayout, run: GenericRun): RunBinding {
  const { agentId, todoId, turnId } = run;
  const { generatedAt, jsonPath, bytes } = appendRun(
    goal,
    {
      goal_id: run.goalId,
      classification: 'drift_refresh',
      ...(agentId === null ? {} : { agent_id: agentId, agent_lane: agentId }),
      ...(todoId === null ? {} : { todo_id: todoId }),
      ...(turnId === null ? {} : { turn_instance_id: turnId }),
      command: run.command,
      ...(run.claim === null ? {} : { progress_observation: run.claim }),
      ...(run.vision === undefined ? {} : { agent_vision: run.vision }),
    },
    run.now,
  );
  return {
    generated_at: generatedAt,
    turn_instance_id: turnId,
    agent_id: agentId,
    todo_id: todoId,
    json_path: jsonPath,
    record_digest: sha256(bytes),
  };
}
