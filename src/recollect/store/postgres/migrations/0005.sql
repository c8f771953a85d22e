-- On whose behalf a change was made, beside who made it; and words are looked up in all places when none are given.

ALTER TABLE events ADD COLUMN IF NOT EXISTS origin text NOT NULL DEFAULT 'person';

CREATE OR REPLACE FUNCTION words_any(marks integer[], places text[], statuses text[], at bigint, past boolean)
RETURNS TABLE ("row" bigint, words bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    own bigint := nullif(current_setting('recollect.account', true), '')::bigint;
    none integer[] := '{}';
BEGIN
    RETURN QUERY
    SELECT m.row, m.packed_words FROM memories AS m
    WHERE m.account_id = own AND m.words && marks AND m.words @> none AND m.words @> (none || none) AND (places IS NULL OR m.place = ANY (places)) AND m.status = ANY (statuses)
      AND (m.status <> 'active' OR (
          (m.expires_at IS NULL OR m.expires_at > at) AND (m.valid_until IS NULL OR m.valid_until > at)
          AND (CASE WHEN past THEN coalesce(m.valid_from, m.occurred_at, m.created_at) ELSE m.valid_from END > at) IS NOT TRUE));
END
$$;
