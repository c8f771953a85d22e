-- The schema itself, named by the setting recollect.schema.

DO $$
BEGIN
    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', current_setting('recollect.schema'));
END
$$
