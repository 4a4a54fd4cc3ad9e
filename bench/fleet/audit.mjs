// What must be true of a fleet's history, looked up in the database and in every host's runtime root.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openObservedGoal } from './observed-goal.mjs';

const perGoal = `
WITH ordered AS (
  SELECT e.goal_id, e.goal_seq, e.spool_id, e.host_seq, r.recorded_at, r.token, r.reason, r.goal_seq IS NOT NULL AS has,
    lag(e.host_seq) OVER spool AS host_before,
    lag(r.recorded_at) OVER goal AS recorded_before,
    lag(r.token) OVER goal AS token_before
  FROM drift_fleet.event e LEFT JOIN drift_fleet.receipt r USING (goal_id, goal_seq)
  WHERE e.status <> 'checkpoint'
  WINDOW goal AS (PARTITION BY e.goal_id ORDER BY e.goal_seq),
    spool AS (PARTITION BY e.spool_id ORDER BY e.goal_seq)
)
SELECT o.goal_id AS goal, count(*)::int AS events, count(*) FILTER (WHERE has)::int AS receipts,
  (count(*) - count(DISTINCT (o.spool_id, o.host_seq)))::int AS doubled,
  count(*) FILTER (WHERE host_seq <> host_before + 1 OR recorded_at < recorded_before OR token < token_before)::int
    AS "orderBreaks",
  count(*) FILTER (WHERE reason = 'poison')::int AS "givenUp",
  (SELECT l.token FROM drift_fleet.lane l WHERE l.goal_id = o.goal_id)::int AS leases
FROM ordered o GROUP BY o.goal_id ORDER BY o.goal_id`;

/** Receipts that a host has published, by event; a file that still says pending does not count. */
function published({ receipts }) {
  const found = readdirSync(receipts).map((name) => JSON.parse(readFileSync(join(receipts, name), 'utf8')));
  return new Map(
    found.filter(({ reason }) => reason !== 'pending_evaluation').map((one) => [one.event_id, one]),
  );
}

/** Journalled results; one more than there are events would be an event that was answered twice. */
const journalled = ({ journal }) =>
  readdirSync(journal, { recursive: true }).filter((name) => name.endsWith('.json')).length;

export async function auditFleet(pool, { base, hosts, goals, turns }) {
  const { rows } = await pool.query(perGoal);
  const entries = await pool.query(
    'SELECT r.goal_id, e.event_id, r.status FROM drift_fleet.receipt r JOIN drift_fleet.event e USING (goal_id, goal_seq)',
  );
  const audited = goals.map((goal) => {
    const row = rows.find((one) => one.goal === goal) ?? {
      goal,
      events: 0,
      receipts: 0,
      doubled: 0,
      orderBreaks: 0,
      givenUp: 0,
      leases: 0,
    };
    const observed = hosts.map((host) => openObservedGoal(base, host, goal));
    const files = new Map(observed.flatMap((one) => [...published(one)]));
    const same = entries.rows.filter(
      ({ goal_id, event_id, status }) => goal_id === goal && files.get(event_id)?.status === status,
    );
    const answeredTwice = observed.reduce((sum, one) => sum + Math.max(0, journalled(one) - turns), 0);
    return { ...row, published: same.length, doubled: row.doubled + answeredTwice };
  });
  const total = (key) => audited.reduce((sum, row) => sum + row[key], 0);
  const sum = {
    wanted: hosts.length * goals.length * turns,
    ...Object.fromEntries(
      ['events', 'receipts', 'published', 'doubled', 'orderBreaks', 'givenUp'].map((key) => [
        key,
        total(key),
      ]),
    ),
  };
  const whole = sum.events === sum.wanted && sum.receipts === sum.wanted && sum.published === sum.wanted;
  return { goals: audited, sum, holds: whole && sum.doubled + sum.orderBreaks + sum.givenUp === 0 };
}
