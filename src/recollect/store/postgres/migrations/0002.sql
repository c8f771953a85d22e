-- Words are looked up by a plan that is made once, and their rows read where they stand.

DROP FUNCTION words_any;
DROP FUNCTION words_all;

-- The rows of the session's account that hold one of some words, in some places, as they stand at a moment,
-- and where on its pages each stands.
CREATE FUNCTION words_any(marks integer[], places text[], statuses text[], at bigint, past boolean)
RETURNS TABLE ("row" bigint, spot tid, words bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    own bigint := nullif(current_setting('recollect.account', true), '')::bigint;
    none integer[] := '{}';
BEGIN
    RETURN QUERY
    SELECT m.row, m.ctid, m.packed_words FROM memories AS m
    WHERE m.account_id = own AND m.words && marks AND m.words @> none AND m.words @> (none || none) AND m.place = ANY (places) AND m.status = ANY (statuses)
      AND (m.status <> 'active' OR (
          (m.expires_at IS NULL OR m.expires_at > at) AND (m.valid_until IS NULL OR m.valid_until > at)
          AND (CASE WHEN past THEN coalesce(m.valid_from, m.occurred_at, m.created_at) ELSE m.valid_from END > at) IS NOT TRUE));
END
$$;

-- The rows of the session's account that hold all of some words, at most so many.
CREATE FUNCTION words_all(marks integer[], most integer)
RETURNS TABLE ("row" bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    own bigint := nullif(current_setting('recollect.account', true), '')::bigint;
    none integer[] := '{}';
BEGIN
    RETURN QUERY
    SELECT m.row FROM memories AS m WHERE m.account_id = own AND m.words @> marks AND m.words @> none AND m.words @> (none || none)
    LIMIT most;
END
$$;
