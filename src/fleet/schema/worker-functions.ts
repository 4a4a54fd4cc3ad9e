/**
 * How a worker changes the history: by these functions only. It may read events, content, bases and terms, but can
 * neither forge, alter nor remove a receipt.
 */
export const workerFunctions = `
-- Says that a goal has work. A job carries the goal's name and nothing else, and its key keeps one waiting per goal.
CREATE FUNCTION drift_fleet.kick(p_goal text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
BEGIN
  PERFORM drift_fleet_jobs.add_job('drift_goal', json_build_object('goal', p_goal), job_key := 'goal:' || p_goal,
                                   job_key_mode := 'preserve_run_at');
END $$;

-- Leases a goal that has work and that nobody holds. The row is locked before it is looked at: a holder that is just
-- letting go must be waited for, or the job that announced the newest event would end for nothing.
CREATE FUNCTION drift_fleet.take(p_goal text, p_holder text, p_lease interval)
RETURNS TABLE (token bigint, done_seq bigint, attempts integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
DECLARE l lane;
BEGIN
  SELECT * INTO l FROM lane WHERE goal_id = p_goal FOR UPDATE;
  IF NOT FOUND OR l.leased_until > clock_timestamp() THEN RETURN; END IF;
  IF NOT EXISTS (SELECT FROM event e WHERE e.goal_id = p_goal AND e.goal_seq = l.done_seq + 1) THEN RETURN; END IF;
  RETURN QUERY UPDATE lane SET token = lane.token + 1, holder = p_holder, attempts = lane.attempts + 1,
    leased_until = clock_timestamp() + p_lease
  WHERE goal_id = p_goal RETURNING lane.token, lane.done_seq, lane.attempts;
END $$;

-- One event is done: its receipt and the goal's progress, or neither. False: another worker holds the goal now, so
-- nothing of this one counts any more. The next event's first attempt is counted in the same step.
CREATE FUNCTION drift_fleet.finish(
  p_goal text, p_token bigint, p_seq bigint, p_lease interval, p_status text, p_reason text, p_entry text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
BEGIN
  UPDATE lane SET done_seq = p_seq, attempts = 1, leased_until = clock_timestamp() + p_lease
  WHERE goal_id = p_goal AND token = p_token AND done_seq = p_seq - 1;
  IF NOT FOUND THEN RETURN false; END IF;
  IF p_status IS NOT NULL THEN
    INSERT INTO receipt (goal_id, goal_seq, spool_id, host_seq, status, reason, entry, token)
    SELECT e.goal_id, e.goal_seq, e.spool_id, e.host_seq, p_status, p_reason, p_entry, p_token
    FROM event e WHERE e.goal_id = p_goal AND e.goal_seq = p_seq;
  END IF;
  RETURN true;
END $$;

-- Lengthens the lease while one evaluation takes long. False: it is lost.
CREATE FUNCTION drift_fleet.renew(p_goal text, p_token bigint, p_lease interval) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
BEGIN
  UPDATE lane SET leased_until = clock_timestamp() + p_lease WHERE goal_id = p_goal AND token = p_token;
  RETURN FOUND;
END $$;

-- Lets go. What is left is announced again, so that a busy goal goes to the end of the line; unless an attempt was
-- begun and failed: then the engine's delay and the sweep decide when it is tried again.
CREATE FUNCTION drift_fleet.release(p_goal text, p_token bigint, p_begun boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
DECLARE l lane;
BEGIN
  UPDATE lane SET holder = NULL, leased_until = NULL, attempts = CASE WHEN p_begun THEN attempts ELSE 0 END
  WHERE goal_id = p_goal AND token = p_token RETURNING * INTO l;
  IF FOUND AND NOT p_begun
    AND EXISTS (SELECT FROM event e WHERE e.goal_id = p_goal AND e.goal_seq = l.done_seq + 1) THEN
    PERFORM kick(p_goal);
  END IF;
END $$;

-- Finds goals whose worker died: work, and no living lease. Without it they would wait for the engine's four hours.
-- One sweep at a time; rows of jobs that died locked are removed after an hour.
CREATE FUNCTION drift_fleet.sweep(p_worker text, p_host text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
DECLARE
  g text;
  kicked integer := 0;
BEGIN
  INSERT INTO worker (worker_id, host) VALUES (p_worker, p_host)
  ON CONFLICT (worker_id) DO UPDATE SET last_seen_at = clock_timestamp();
  IF NOT pg_try_advisory_xact_lock(hashtext('drift_fleet.sweep')) THEN RETURN 0; END IF;
  DELETE FROM worker WHERE last_seen_at < clock_timestamp() - interval '1 day';
  FOR g IN
    SELECT l.goal_id FROM lane l
    WHERE (l.leased_until IS NULL OR l.leased_until < clock_timestamp())
      AND EXISTS (SELECT FROM event e WHERE e.goal_id = l.goal_id AND e.goal_seq = l.done_seq + 1)
    ORDER BY l.goal_id
  LOOP
    PERFORM kick(g);
    kicked := kicked + 1;
  END LOOP;
  DELETE FROM drift_fleet_jobs._private_jobs WHERE key IS NULL AND locked_at < clock_timestamp() - interval '1 hour';
  RETURN kicked;
END $$;

-- Removes texts that no owner wants kept any longer. An event renews the date of its texts, so only one that has waited
-- for more than a day could still need them; then the goal's are all kept.
CREATE FUNCTION drift_fleet.forget() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
DECLARE
  g text;
  gone integer;
  total integer := 0;
BEGIN
  FOR g IN SELECT DISTINCT c.goal_id FROM content c WHERE c.keep_until < now() ORDER BY 1 LOOP
    PERFORM FROM goal WHERE goal_id = g FOR UPDATE;
    DELETE FROM content c WHERE c.goal_id = g AND c.keep_until < now() AND NOT EXISTS (
      SELECT FROM lane l JOIN event e ON e.goal_id = l.goal_id AND e.goal_seq = l.done_seq + 1
      WHERE l.goal_id = g AND e.received_at < now() - interval '1 day'
    );
    GET DIAGNOSTICS gone = ROW_COUNT;
    total := total + gone;
  END LOOP;
  RETURN total;
END $$;
`;
