/**
 * One row per spool, which is one host and goal. Seconds are those of the database's clock, so that the hosts' clocks
 * cannot disagree, except `oldest_age`, which counts from the capture.
 */
export const statusView = `
CREATE VIEW drift_fleet.spool_status AS
SELECT s.host, s.goal_id, s.spool_id, s.observer_id, s.predecessor, s.first_seq,
  greatest(0, s.tail_seq - s.last_seq) AS unshipped,
  waiting.backlog,
  extract(epoch FROM clock_timestamp() - waiting.oldest)::float8 AS oldest_age_seconds,
  recent.lag_seconds,
  (SELECT count(*) FROM drift_fleet.receipt r WHERE r.spool_id = s.spool_id AND r.reason IN ('poison', 'corrupt_event'))
    AS dead_letters,
  greatest(0, coalesce(recent.newest, s.received_seq) - s.received_seq) AS undelivered,
  s.last_seen_at
FROM drift_fleet.spool s
JOIN drift_fleet.lane l USING (goal_id)
CROSS JOIN LATERAL (
  SELECT count(*) AS backlog, min(coalesce(e.captured_at, e.received_at)) AS oldest FROM drift_fleet.event e
  WHERE e.goal_id = s.goal_id AND e.goal_seq > l.done_seq AND e.spool_id = s.spool_id
) waiting
CROSS JOIN LATERAL (
  SELECT max(n.host_seq) AS newest,
    percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM n.recorded_at - n.received_at)::float8) AS lag_seconds
  FROM (
    SELECT r.host_seq, r.recorded_at, e.received_at FROM drift_fleet.receipt r
    JOIN drift_fleet.event e ON e.goal_id = r.goal_id AND e.goal_seq = r.goal_seq
    WHERE r.spool_id = s.spool_id ORDER BY r.host_seq DESC LIMIT 100
  ) n
) recent;
`;
