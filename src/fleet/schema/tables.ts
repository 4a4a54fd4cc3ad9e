/**
 * Our own tables (design §10). Order, dedupe and receipts live here; the job engine only says that a goal has work.
 *
 * - `goal`: one lane of order; `next_seq` is the number of the next event, whoever sends it.
 * - `lane`: how far a goal is judged, and the lease of the worker that judges it. `token` grows with every lease and
 *   fences a worker that was taken for dead. Apart from `goal`, so that hosts and workers do not wait for each other.
 * - `spool`: one host's spool; `last_seq` is its high-water mark, which dedupes even after old events are gone.
 * - `event`: the head of an event file, byte for byte as text (`json` types would reorder keys and break digests).
 * - `content`: texts by digest, within a goal; kept no longer than the owner's `retain_evidence_days`.
 * - `receipt`: one per judged event. `entry` is the journal line that the host publishes.
 */
export const tables = `
CREATE TABLE drift_fleet.goal (
  goal_id text PRIMARY KEY,
  next_seq bigint NOT NULL DEFAULT 1
);
CREATE TABLE drift_fleet.lane (
  goal_id text PRIMARY KEY REFERENCES drift_fleet.goal,
  done_seq bigint NOT NULL DEFAULT 0,
  token bigint NOT NULL DEFAULT 0,
  holder text,
  leased_until timestamptz,
  attempts integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
CREATE TABLE drift_fleet.basis (revision text PRIMARY KEY, bytes text NOT NULL);
CREATE TABLE drift_fleet.terms (digest text PRIMARY KEY, bytes text NOT NULL);
CREATE TABLE drift_fleet.spool (
  spool_id text PRIMARY KEY CHECK (spool_id ~ '^[0-9a-f]{32}$'),
  goal_id text NOT NULL REFERENCES drift_fleet.goal,
  observer_id text NOT NULL,
  host text NOT NULL,
  owner name NOT NULL,
  predecessor text REFERENCES drift_fleet.spool,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  last_digest text,
  tail_seq bigint NOT NULL,
  received_seq bigint NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);
CREATE TABLE drift_fleet.content (
  goal_id text NOT NULL,
  sha256 text NOT NULL,
  bytes bytea NOT NULL,
  keep_until timestamptz NOT NULL,
  PRIMARY KEY (goal_id, sha256)
);
CREATE INDEX content_by_age ON drift_fleet.content (keep_until);
CREATE TABLE drift_fleet.event (
  goal_id text NOT NULL REFERENCES drift_fleet.goal,
  goal_seq bigint NOT NULL,
  spool_id text NOT NULL REFERENCES drift_fleet.spool,
  host_seq bigint NOT NULL,
  event_id text,
  digest text,
  status text NOT NULL,
  stale text,
  head text,
  terms text NOT NULL REFERENCES drift_fleet.terms,
  captured_at timestamptz,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (goal_id, goal_seq),
  UNIQUE (spool_id, host_seq)
);
CREATE TABLE drift_fleet.receipt (
  goal_id text NOT NULL,
  goal_seq bigint NOT NULL,
  spool_id text NOT NULL,
  host_seq bigint NOT NULL,
  status text NOT NULL,
  reason text,
  entry text,
  token bigint NOT NULL,
  withdrawn text,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (goal_id, goal_seq),
  UNIQUE (spool_id, host_seq),
  FOREIGN KEY (goal_id, goal_seq) REFERENCES drift_fleet.event
);
CREATE INDEX receipt_dead_letters ON drift_fleet.receipt (spool_id) WHERE reason IN ('poison', 'corrupt_event');
CREATE TABLE drift_fleet.worker (
  worker_id text PRIMARY KEY,
  host text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
`;
