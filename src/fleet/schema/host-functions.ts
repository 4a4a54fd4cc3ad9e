/**
 * What a host may do: these functions and nothing else, so that its role needs no right on any table. A spool belongs
 * to the login that registered it. Errors of class DF are ours: DF001 unknown spool or one of another login.
 */
export const hostFunctions = `
CREATE FUNCTION drift_fleet.own_spool(p_spool text) RETURNS drift_fleet.spool
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
DECLARE s spool;
BEGIN
  SELECT * INTO s FROM spool WHERE spool_id = p_spool AND owner = session_user;
  IF NOT FOUND THEN RAISE EXCEPTION 'no such spool of this login' USING ERRCODE = 'DF001'; END IF;
  RETURN s;
END $$;

-- Registers a spool, once, and says how far it has been stored. Basis and terms are stored under their own digests.
CREATE FUNCTION drift_fleet.hello(
  p_spool text, p_goal text, p_observer text, p_host text, p_first bigint, p_base_digest text, p_predecessor text,
  p_basis text, p_terms text
) RETURNS TABLE (last_seq bigint, last_digest text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
DECLARE s spool;
BEGIN
  IF p_predecessor IS NOT NULL AND (own_spool(p_predecessor)).goal_id IS DISTINCT FROM p_goal THEN
    RAISE EXCEPTION 'the predecessor is a spool of another goal' USING ERRCODE = 'DF001';
  END IF;
  INSERT INTO goal (goal_id) VALUES (p_goal) ON CONFLICT DO NOTHING;
  INSERT INTO lane (goal_id) VALUES (p_goal) ON CONFLICT DO NOTHING;
  INSERT INTO basis VALUES (encode(sha256(convert_to(p_basis, 'UTF8')), 'hex'), p_basis) ON CONFLICT DO NOTHING;
  INSERT INTO terms VALUES (encode(sha256(convert_to(p_terms, 'UTF8')), 'hex'), p_terms) ON CONFLICT DO NOTHING;
  INSERT INTO spool (spool_id, goal_id, observer_id, host, owner, predecessor, first_seq, last_seq, last_digest,
                     tail_seq, received_seq)
  VALUES (p_spool, p_goal, p_observer, p_host, session_user, p_predecessor, p_first, p_first - 1, p_base_digest,
          p_first - 1, p_first - 1)
  ON CONFLICT DO NOTHING;
  s := own_spool(p_spool);
  IF s.goal_id <> p_goal THEN RAISE EXCEPTION 'a spool of another goal' USING ERRCODE = 'DF001'; END IF;
  UPDATE spool SET last_seen_at = clock_timestamp(), host = p_host WHERE spool_id = p_spool;
  RETURN QUERY SELECT s.last_seq, s.last_digest;
END $$;

-- The digest that is stored for one entry; null where there is none.
CREATE FUNCTION drift_fleet.stored_digest(p_spool text, p_seq bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
BEGIN
  PERFORM own_spool(p_spool);
  RETURN (SELECT digest FROM event WHERE spool_id = p_spool AND host_seq = p_seq);
END $$;

-- Opens a batch: nobody else adds to the goal, and nothing of its content is forgotten, until the transaction ends.
-- Says which texts are missing and keeps the others. A date moves a day at a time, which spares most rewrites.
CREATE FUNCTION drift_fleet.open_batch(p_spool text, p_texts text[], p_keep interval) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
DECLARE s spool := own_spool(p_spool);
BEGIN
  PERFORM FROM goal WHERE goal_id = s.goal_id FOR UPDATE;
  UPDATE content SET keep_until = now() + p_keep
  WHERE goal_id = s.goal_id AND sha256 = ANY (p_texts) AND keep_until < now() + p_keep - interval '1 day';
  RETURN QUERY SELECT DISTINCT t FROM unnest(p_texts) t
    WHERE NOT EXISTS (SELECT FROM content c WHERE c.goal_id = s.goal_id AND c.sha256 = t);
END $$;

CREATE FUNCTION drift_fleet.put_texts(p_spool text, p_bytes bytea[], p_keep interval) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
DECLARE s spool := own_spool(p_spool);
BEGIN
  INSERT INTO content SELECT s.goal_id, encode(sha256(b), 'hex'), b, now() + p_keep FROM unnest(p_bytes) b
  ON CONFLICT DO NOTHING;
END $$;

-- Adds entries in order, exactly once. An entry that is there is passed over; one that skips a number is a gap; one
-- that contradicts what is stored means that the spool was rolled back and has gone another way. Gap and diverged
-- store nothing more and leave it to the caller to roll back.
CREATE FUNCTION drift_fleet.push(
  p_spool text, p_terms text, p_seqs bigint[], p_ids text[], p_digests text[], p_prevs text[], p_statuses text[],
  p_stales text[], p_heads text[], p_captured timestamptz[]
) RETURNS TABLE (outcome text, at_seq bigint, stored integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
DECLARE
  s spool := own_spool(p_spool);
  known event;
  n bigint;
BEGIN
  stored := 0;
  outcome := 'stored';
  SELECT next_seq INTO n FROM goal WHERE goal_id = s.goal_id FOR UPDATE;
  SELECT * INTO s FROM spool WHERE spool_id = p_spool FOR UPDATE;
  FOR i IN 1 .. cardinality(p_seqs) LOOP
    at_seq := p_seqs[i];
    IF at_seq <= s.last_seq THEN
      SELECT * INTO known FROM event WHERE spool_id = p_spool AND host_seq = at_seq;
      CONTINUE WHEN NOT FOUND OR known.digest IS NOT DISTINCT FROM p_digests[i];
      outcome := 'diverged';
    ELSIF at_seq > s.last_seq + 1 THEN
      outcome := 'gap';
    ELSIF p_prevs[i] <> s.last_digest THEN
      outcome := 'diverged';
    END IF;
    IF outcome <> 'stored' THEN
      RETURN NEXT;
      RETURN;
    END IF;
    INSERT INTO event (goal_id, goal_seq, spool_id, host_seq, event_id, digest, status, stale, head, terms, captured_at)
    VALUES (s.goal_id, n, p_spool, at_seq, p_ids[i], p_digests[i], p_statuses[i], p_stales[i], p_heads[i], p_terms,
            p_captured[i]);
    n := n + 1;
    stored := stored + 1;
    s.last_seq := at_seq;
    s.last_digest := p_digests[i];
  END LOOP;
  IF stored > 0 THEN
    UPDATE goal SET next_seq = n WHERE goal_id = s.goal_id;
    UPDATE spool SET last_seq = s.last_seq, last_digest = s.last_digest, last_seen_at = clock_timestamp()
    WHERE spool_id = p_spool;
    PERFORM kick(s.goal_id);
  END IF;
  RETURN NEXT;
END $$;

-- What the host has: its newest entry, and the last one whose receipt is in its runtime root.
CREATE FUNCTION drift_fleet.report(p_spool text, p_tail bigint, p_received bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
BEGIN
  PERFORM own_spool(p_spool);
  UPDATE spool SET tail_seq = p_tail, received_seq = p_received, last_seen_at = clock_timestamp()
  WHERE spool_id = p_spool;
END $$;

-- The results of a spool's entries after one, in order; those before its first entry are its predecessors'.
CREATE FUNCTION drift_fleet.receipts(p_spool text, p_after bigint, p_limit integer)
RETURNS TABLE (of_spool text, host_seq bigint, digest text, entry text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
BEGIN
  PERFORM own_spool(p_spool);
  RETURN QUERY
  WITH RECURSIVE line (spool_id, predecessor, since, until) AS (
    SELECT s.spool_id, s.predecessor, s.first_seq, NULL::bigint FROM spool s WHERE s.spool_id = p_spool
    UNION ALL
    SELECT s.spool_id, s.predecessor, s.first_seq, l.since FROM line l JOIN spool s ON s.spool_id = l.predecessor
  )
  SELECT r.spool_id, r.host_seq, e.digest, r.entry FROM line l
  JOIN receipt r ON r.spool_id = l.spool_id AND r.host_seq >= l.since AND (l.until IS NULL OR r.host_seq < l.until)
  JOIN event e ON e.goal_id = r.goal_id AND e.goal_seq = r.goal_seq
  WHERE r.host_seq > p_after AND r.entry IS NOT NULL
  ORDER BY r.host_seq LIMIT p_limit;
END $$;

-- The host's guards no longer held when the result arrived: it was published as stale, and the history says so.
CREATE FUNCTION drift_fleet.withdraw(p_spool text, p_seq bigint, p_reason text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, drift_fleet, pg_temp AS $$
BEGIN
  PERFORM own_spool(p_spool);
  UPDATE receipt SET withdrawn = p_reason WHERE spool_id = p_spool AND host_seq = p_seq;
END $$;
`;
