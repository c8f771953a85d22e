-- A word look-up also tells where on its pages each row stands, so that it is read without asking an index again.

DROP FUNCTION words_any;

-- The rows of the session's account that hold one of some words, in some places, as they stand at a moment,
-- and where on its pages each stands.
CREATE FUNCTION words_any(marks integer[], places text[], statuses text[], at bigint, past boolean)
RETURNS TABLE ("row" bigint, spot tid, words bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET search_path FROM CURRENT SET plan_cache_mode = force_custom_plan SET random_page_cost = 0.05 SET seq_page_cost = 0.05 AS $$
#variable_conflict use_column
DECLARE
    own bigint := nullif(current_setting('recollect.account', true), '')::bigint;
BEGIN
    RETURN QUERY
    SELECT m.row, m.ctid, m.packed_words FROM memories AS m
    WHERE m.account_id = own AND m.words && marks AND m.place = ANY (places) AND m.status = ANY (statuses)
      AND (m.status <> 'active' OR (
          (m.expires_at IS NULL OR m.expires_at > at) AND (m.valid_until IS NULL OR m.valid_until > at)
          AND (CASE WHEN past THEN coalesce(m.valid_from, m.occurred_at, m.created_at) ELSE m.valid_from END > at) IS NOT TRUE));
END
$$;
