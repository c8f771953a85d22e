-- Run after every change of the schema: each table gets its partitions, its row-level security and the rights of the role that works
-- with it. Everything here may be run again. The settings recollect.partitions and recollect.role say how many and who.

DO $$
DECLARE
    held    record;
    part    text;
    -- Notes of the store that only its owner writes. Those of an account, its key too, are behind the wall like everything else.
    fixed   constant text[] := '{store,schema,partitions}';
    -- Evaluated once per statement, not per row; without the setting there are no rows.
    own     constant text := '(SELECT nullif(current_setting(''recollect.account'', true), '''')::bigint)';
    worker  constant text := current_setting('recollect.role');
    parts   constant integer := current_setting('recollect.partitions')::integer;
BEGIN
    FOR held IN SELECT c.oid, c.relname AS name FROM pg_class AS c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'p' ORDER BY c.relname
    LOOP
        IF NOT EXISTS (SELECT FROM pg_inherits WHERE inhparent = held.oid) THEN
            FOR number IN 0 .. parts - 1 LOOP
                part := held.name || '_p' || lpad(number::text, 3, '0');
                -- Room for one more version of a row on its page: counting an access then touches no index.
                EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)%s',
                               part, held.name, parts, number,
                               CASE held.name WHEN 'memories' THEN ' WITH (fillfactor = 90)' ELSE '' END);
                -- Without a policy of its own, a partition can only be read through its table.
                EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
                EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
            END LOOP;
        END IF;
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', held.name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', held.name);
        EXECUTE format('DROP POLICY IF EXISTS wall ON %I', held.name);
        EXECUTE format('CREATE POLICY wall ON %I USING (account_id = %s%s)', held.name, own,
                       CASE held.name WHEN 'notes' THEN format(' OR (account_id = 0 AND name <> ALL (%L))', fixed) ELSE '' END);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', held.name, worker);
    END LOOP;
    -- One plan serves every account of a partition. Told that there is only one, the planner takes each account for as large as the
    -- whole partition: a plan that is good for a large account is never bad for a small one.
    FOR held IN SELECT c.oid, c.relname AS name FROM pg_inherits AS i
        JOIN pg_class AS c ON c.oid = i.inhrelid JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'account_id'
        WHERE i.inhparent = 'memories'::regclass AND a.attoptions IS NULL ORDER BY c.relname
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN account_id SET (n_distinct = 1)', held.name);
        IF pg_relation_size(held.oid) > 0 THEN
            EXECUTE format('ANALYZE %I (account_id)', held.name);
        END IF;
    END LOOP;
    -- No statistics on what people write: the server would keep samples of it in its catalog, where no purge reaches them.
    FOR held IN SELECT c.relname AS name, string_agg(format('ALTER COLUMN %I SET STATISTICS 0', a.attname), ', ') AS changes
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'p' AND a.attnum > 0 AND NOT a.attisdropped
          AND a.attgenerated = '' AND format_type(a.atttypid, NULL) IN ('text', 'text[]', 'bytea', 'vector', 'halfvec')
          AND a.attstattarget IS DISTINCT FROM 0
        GROUP BY c.relname ORDER BY c.relname
    LOOP
        EXECUTE format('ALTER TABLE %I %s', held.name, held.changes);
    END LOOP;
    -- The owner looks terms up for everybody (see the functions, which restrict themselves), and knows which accounts are large.
    FOR held IN SELECT unnest(ARRAY['memories', 'accounts', 'centers']) AS name LOOP
        EXECUTE format('DROP POLICY IF EXISTS gate ON %I', held.name);
        EXECUTE format('CREATE POLICY gate ON %I FOR SELECT TO CURRENT_USER USING (true)', held.name);
    END LOOP;
    -- Everybody reads what the store is; the owner writes it.
    DROP POLICY IF EXISTS store ON notes;
    CREATE POLICY store ON notes FOR SELECT USING (account_id = 0);
    DROP POLICY IF EXISTS gate ON notes;
    CREATE POLICY gate ON notes TO CURRENT_USER USING (account_id = 0);
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), worker);
    EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA %I TO %I', current_schema(), worker);
    FOR held IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
        WHERE p.pronamespace = current_schema()::regnamespace AND p.prosecdef
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', held.name);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', held.name, worker);
    END LOOP;
END
$$
