import type { Pool } from 'pg';
import type { Outcome } from './judge-row.ts';

/** The right to judge one goal, for as long as it is renewed. `token` fences whoever held it before. */
export interface Lease {
  readonly goal: string;
  readonly token: string;
  /** The last event that is done. */
  readonly doneSeq: number;
  /** How often the judging of the next one has been begun, this time included. */
  readonly attempts: number;
}

interface Term {
  readonly holder: string;
  readonly leaseMs: number;
}

const interval = (ms: number): string => `${ms} milliseconds`;

/** Null: the goal has no work, or somebody holds it. */
export async function takeLease(pool: Pool, goal: string, { holder, leaseMs }: Term): Promise<Lease | null> {
  const { rows } = await pool.query<{ token: string; done_seq: string; attempts: number }>(
    'SELECT token, done_seq, attempts FROM drift_fleet.take($1, $2, $3)',
    [goal, holder, interval(leaseMs)],
  );
  const [row] = rows;
  return row ? { goal, token: row.token, doneSeq: Number(row.done_seq), attempts: row.attempts } : null;
}

/** Stores an outcome with the goal's progress, in one step. False: fenced, another worker holds the goal. */
export async function finishEvent(
  pool: Pool,
  { goal, token }: Lease,
  { seq, leaseMs, outcome }: { readonly seq: number; readonly leaseMs: number; readonly outcome: Outcome },
): Promise<boolean> {
  const { rows } = await pool.query<{ finished: boolean }>(
    'SELECT drift_fleet.finish($1, $2, $3, $4, $5, $6, $7) AS finished',
    [goal, token, seq, interval(leaseMs), outcome.status, outcome.reason, outcome.entry],
  );
  return rows[0]?.finished === true;
}

/** Lengthens the lease; false: it is lost. */
export async function renewLease(pool: Pool, { goal, token }: Lease, leaseMs: number): Promise<boolean> {
  const { rows } = await pool.query<{ renewed: boolean }>('SELECT drift_fleet.renew($1, $2, $3) AS renewed', [
    goal,
    token,
    interval(leaseMs),
  ]);
  return rows[0]?.renewed === true;
}

/** Lets go. `begun`: the judging of the next event was begun and did not end. */
export async function releaseLease(pool: Pool, { goal, token }: Lease, begun: boolean): Promise<void> {
  await pool.query('SELECT drift_fleet.release($1, $2, $3)', [goal, token, begun]);
}
