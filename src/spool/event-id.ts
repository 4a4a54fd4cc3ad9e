import type { RunBinding } from '../contract/event.ts';
import { sha256 } from './lazy-crypto.ts';

type IdentifiedRun = Pick<
  RunBinding,
  'turn_instance_id' | 'agent_id' | 'todo_id' | 'json_path' | 'record_digest'
>;

/** Identifies the event of a run for ever: by its turn where there is one, else by its run record (design §3). */
export function eventIdOfRun(run: IdentifiedRun, goalId: string): string {
  const { turn_instance_id: turn, agent_id: agent, todo_id: todo } = run;
  if (turn !== null) return sha256(JSON.stringify({ turn, goal: goalId, agent, todo }));
  return sha256(JSON.stringify({ run: run.record_digest, path: run.json_path }));
}
