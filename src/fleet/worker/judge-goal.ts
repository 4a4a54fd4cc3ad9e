import type { Pool } from 'pg';
import { type EventRow, type JudgeBench, judgeRow, type ReadRow, readRow } from './judge-row.ts';
import { finishEvent, type Lease, releaseLease, renewLease, takeLease } from './lease.ts';

const ROWS_AT_ONCE = 32;
/** After this long a busy goal goes to the end of the line. */
const TURN_MS = 5_000;

export interface GoalBench extends JudgeBench {
  readonly pool: Pool;
  /** Names this worker. */
  readonly holder: string;
  readonly leaseMs: number;
  /** True: finish the event in hand, then let go. */
  readonly shouldStop: () => boolean;
}

export interface Turn {
  readonly finished: number;
  /** Another worker was given the goal meanwhile: the last outcome was thrown away. */
  readonly fenced: boolean;
}

/**
 * The task behind a job (design §10): judges what a goal has, in its order, until nothing is left. A job that comes
 * twice, late or out of order finds either work that nobody holds or nothing to do, so the engine's promises do not
 * matter. No transaction is open while an event is judged.
 */
export async function judgeGoal(bench: GoalBench, goal: string): Promise<Turn> {
  const lease = await takeLease(bench.pool, goal, bench);
  if (lease === null) return { finished: 0, fenced: false };
  const turn = new GoalTurn(bench, lease);
  const timer = setInterval(() => void turn.renew(), bench.leaseMs / 3);
  try {
    await turn.run();
  } finally {
    clearInterval(timer);
    await turn.end();
  }
  return { finished: turn.finished, fenced: turn.fenced };
}

class GoalTurn {
  finished = 0;
  fenced = false;
  private begun = false;
  private attempts: number;
  private doneSeq: number;
  private readonly bench: GoalBench;
  private readonly lease: Lease;
  private readonly endsAt: number;

  constructor(bench: GoalBench, lease: Lease) {
    this.bench = bench;
    this.lease = lease;
    this.attempts = lease.attempts;
    this.doneSeq = lease.doneSeq;
    this.endsAt = bench.clock() + TURN_MS;
  }

  async run(): Promise<void> {
    for (let rows = await this.next(); rows.length > 0; rows = await this.next())
      for (const row of rows) {
        if (this.bench.shouldStop() || this.bench.clock() > this.endsAt) return;
        if (!(await this.finishRow(row))) return;
      }
  }

  private async next(): Promise<ReadRow[]> {
    const { pool, content } = this.bench;
    const { goal } = this.lease;
    const { rows } = await pool.query<EventRow>(
      `SELECT goal_id, goal_seq, host_seq, status, stale, head, terms FROM drift_fleet.event
       WHERE goal_id = $1 AND goal_seq > $2 ORDER BY goal_seq LIMIT $3`,
      [goal, this.doneSeq, ROWS_AT_ONCE],
    );
    const read = rows.map(readRow);
    await content.fetchAhead(
      goal,
      read.flatMap(({ event, stale }) => (event?.status === 'queued' && stale === null ? [event] : [])),
    );
    return read;
  }

  /** False: fenced. */
  private async finishRow(row: ReadRow): Promise<boolean> {
    const { pool, leaseMs } = this.bench;
    const seq = Number(row.goal_seq);
    this.begun = true;
    const outcome = await judgeRow(this.bench, row, this.attempts);
    if (!this.fenced) this.fenced = !(await finishEvent(pool, this.lease, { seq, leaseMs, outcome }));
    if (this.fenced) return false;
    this.begun = false;
    this.finished += 1;
    this.doneSeq = seq;
    this.attempts = 1;
    return true;
  }

  /** A renewal that cannot be had now is tried again; what counts is the token, when the outcome is stored. */
  async renew(): Promise<void> {
    const renewed = await renewLease(this.bench.pool, this.lease, this.bench.leaseMs).catch(() => true);
    if (!renewed) this.fenced = true;
  }

  async end(): Promise<void> {
    if (!this.fenced) await releaseLease(this.bench.pool, this.lease, this.begun);
  }
}
