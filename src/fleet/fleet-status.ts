import type { Failure } from '../contract/failure.ts';
import { ok, type Result } from '../contract/result.ts';
import { connect } from './database/connect.ts';
import { guardDatabase } from './database/database-failure.ts';
import type { UrlSource } from './database/read-url.ts';

/** One host and goal. Seconds are the database's own, so that no two clocks can disagree. */
export interface SpoolStatus {
  readonly host: string;
  readonly goal_id: string;
  readonly spool_id: string;
  /** Captured on the host, not yet in the database, as of the host's last pass. */
  readonly unshipped: number;
  /** In the database, not yet judged. */
  readonly backlog: number;
  readonly oldest_age_seconds: number | null;
  /** From enqueue to receipt: the 95th percentile of the newest hundred. */
  readonly lag_seconds: number | null;
  /** Events that no worker could finish, or that arrived damaged. */
  readonly dead_letters: number;
  /** Judged, not yet published on the host, as of its last pass. */
  readonly undelivered: number;
  readonly last_seen_at: string;
  readonly seen_seconds_ago: number;
  /** Set when the spool was restored from a backup or copied: where the new one began. */
  readonly restored: { readonly predecessor: string; readonly first_sequence: number } | null;
}

export interface WorkerStatus {
  readonly worker_id: string;
  readonly host: string;
  readonly seen_seconds_ago: number;
}

export interface FleetStatus {
  readonly schema: 'drift_fleet_status_v1';
  readonly spools: readonly SpoolStatus[];
  /** Seen within five minutes. */
  readonly workers: readonly WorkerStatus[];
}

interface SpoolRow extends Omit<SpoolStatus, 'restored' | 'last_seen_at'> {
  readonly predecessor: string | null;
  readonly first_seq: number;
  readonly last_seen_at: Date;
}

/** A predecessor that owes nothing any more is history, not a host. */
const spoolQuery = `
SELECT host, goal_id, spool_id, predecessor, first_seq::float8, unshipped::float8, backlog::float8, oldest_age_seconds,
  lag_seconds, dead_letters::float8, undelivered::float8, last_seen_at,
  extract(epoch FROM clock_timestamp() - last_seen_at)::float8 AS seen_seconds_ago
FROM drift_fleet.spool_status s
WHERE backlog > 0 OR NOT EXISTS (SELECT FROM drift_fleet.spool_status n WHERE n.predecessor = s.spool_id)
ORDER BY host, goal_id, spool_id`;

const workerQuery = `
SELECT worker_id, host, extract(epoch FROM clock_timestamp() - last_seen_at)::float8 AS seen_seconds_ago
FROM drift_fleet.worker WHERE last_seen_at > clock_timestamp() - interval '5 minutes' ORDER BY worker_id`;

/** What every host and goal of the fleet waits for. Reasons: those of the database. */
export async function readFleetStatus(source: UrlSource): Promise<Result<FleetStatus, Failure>> {
  const connected = await connect({ ...source, name: 'drift fleet status', maxConnections: 1 });
  if (!connected.ok) return connected;
  const pool = connected.value;
  try {
    return await guardDatabase(async () => {
      const spools = await pool.query<SpoolRow>(spoolQuery);
      const workers = await pool.query<WorkerStatus>(workerQuery);
      const schema = 'drift_fleet_status_v1';
      return ok({ schema, spools: spools.rows.map(statusOf), workers: workers.rows });
    });
  } finally {
    await pool.end();
  }
}

function statusOf({ predecessor, first_seq, last_seen_at, ...row }: SpoolRow): SpoolStatus {
  return {
    ...row,
    last_seen_at: last_seen_at.toISOString(),
    restored: predecessor === null ? null : { predecessor, first_sequence: first_seq },
  };
}
