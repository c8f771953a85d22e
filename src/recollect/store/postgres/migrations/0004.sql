-- Statistics on texts are dropped and no longer collected; each account has its own key for the hashes of its texts.

-- Another type, even the same one, drops the statistics of a column without rewriting the table.
DO $$
DECLARE
    held record;
BEGIN
    FOR held IN SELECT c.relname AS name, string_agg(format('ALTER COLUMN %I TYPE %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                CASE WHEN a.attcollation <> 0 THEN format(' COLLATE pg_catalog.%I', o.collname) ELSE '' END), ', ') AS changes
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid LEFT JOIN pg_collation AS o ON o.oid = a.attcollation
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'p' AND a.attnum > 0 AND NOT a.attisdropped
          AND a.attgenerated = '' AND format_type(a.atttypid, NULL) IN ('text', 'text[]', 'bytea')
        GROUP BY c.relname ORDER BY c.relname
    LOOP
        EXECUTE format('ALTER TABLE %I %s', held.name, held.changes);
    END LOOP;
END
$$;

-- What belongs to an account moves from the notes of the store, which every login reads, to those of the account. The owner sees all
-- accounts while row-level security is not forced; it is forced again after the migration.
ALTER TABLE notes NO FORCE ROW LEVEL SECURITY;
ALTER TABLE documents NO FORCE ROW LEVEL SECURITY;
INSERT INTO notes (account_id, name, value)
    SELECT a.account_id, n.name, n.value FROM accounts AS a CROSS JOIN notes AS n
    WHERE n.account_id = 0 AND n.name IN ('secret', 'former_secrets')
    UNION ALL
    SELECT a.account_id, split_part(n.name, ':', 1), n.value FROM accounts AS a JOIN notes AS n
        ON n.name IN ('recalls:' || a.name, 'clustered:' || a.name, 'import:' || a.name) WHERE n.account_id = 0
    UNION ALL
    SELECT a.account_id, 'ingested:' || substr(n.name, length('ingested:' || a.name || ':') + 1), n.value
        FROM accounts AS a JOIN notes AS n ON starts_with(n.name, 'ingested:' || a.name || ':') WHERE n.account_id = 0
    UNION ALL
    SELECT d.account_id, n.name, n.value FROM documents AS d JOIN notes AS n ON n.name = 'pool:' || d.id::text
    WHERE n.account_id = 0 AND d.kind = 'pool'
ON CONFLICT DO NOTHING;
DELETE FROM notes WHERE account_id = 0 AND name NOT IN ('store', 'schema', 'partitions') AND name NOT LIKE 'calibration:%';
