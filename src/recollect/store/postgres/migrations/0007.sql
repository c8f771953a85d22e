-- Memories of a user, and metadata with what it is filtered by.

ALTER TABLE memories ADD COLUMN IF NOT EXISTS "user" text;

-- Each path of their metadata, and the values there as text that is ordered as they are.
CREATE TABLE IF NOT EXISTS metadata (
    account_id bigint NOT NULL,
    path       text   NOT NULL COLLATE "C",
    value      text   NOT NULL COLLATE "C",
    row        bigint NOT NULL,
    PRIMARY KEY (account_id, path, value, row)
) PARTITION BY HASH (account_id);
CREATE INDEX IF NOT EXISTS metadata_row ON metadata (account_id, row);
