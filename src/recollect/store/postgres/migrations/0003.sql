-- Counters for `stats`, ids and operations found by their end, and rows of terms without their page position.

DROP FUNCTION words_any;
DROP FUNCTION standing;
DROP FUNCTION sole_writer;

CREATE FUNCTION words_any(marks integer[], places text[], statuses text[], at bigint, past boolean)
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
    WHERE m.account_id = own AND m.words && marks AND m.words @> none AND m.words @> (none || none) AND m.place = ANY (places) AND m.status = ANY (statuses)
      AND (m.status <> 'active' OR (
          (m.expires_at IS NULL OR m.expires_at > at) AND (m.valid_until IS NULL OR m.valid_until > at)
          AND (CASE WHEN past THEN coalesce(m.valid_from, m.occurred_at, m.created_at) ELSE m.valid_from END > at) IS NOT TRUE));
END
$$;

ALTER TABLE memories ADD COLUMN id_tail text COLLATE "C" GENERATED ALWAYS AS (reverse(right(replace(id::text, '-', ''), 12))) STORED;
CREATE INDEX memories_id_tail ON memories (account_id, id_tail);
ALTER TABLE events ADD COLUMN operation_tail text COLLATE "C" GENERATED ALWAYS AS (reverse(right(replace(operation::text, '-', ''), 12))) STORED;
DROP INDEX events_memory;
DROP INDEX events_operation;
CREATE INDEX events_memory ON events (account_id, memory, seq);
CREATE INDEX events_operation ON events (account_id, operation, seq);
CREATE INDEX events_operation_tail ON events (account_id, operation_tail);
CREATE INDEX links_relation ON links (account_id, relation, source);

CREATE TABLE tallies (
    account_id bigint NOT NULL,
    kind       text   NOT NULL,
    name       text   NOT NULL,
    room       text   NOT NULL COLLATE "C",
    held       bigint NOT NULL,
    PRIMARY KEY (account_id, kind, name, room)
) PARTITION BY HASH (account_id);
