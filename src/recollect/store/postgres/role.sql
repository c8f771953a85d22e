-- What a database needs before the schema: the extension, and the role that works with the tables and owns none of them.
-- Everything here may be run again. The setting recollect.role names the role.

CREATE EXTENSION IF NOT EXISTS vector;

DO $$
DECLARE
    worker constant text := current_setting('recollect.role');
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = worker) THEN
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE', worker);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- a migration of another database made it meanwhile
        END;
    END IF;
    IF NOT pg_has_role(session_user, worker, 'SET') THEN
        EXECUTE format('GRANT %I TO %I', worker, session_user);
    END IF;
END
$$
