-- A purged text is refused only to those who could see the memory. Digests of before hold for the whole account.

ALTER TABLE purged ADD COLUMN IF NOT EXISTS place text COLLATE "C" NOT NULL DEFAULT '["global","",""]';
ALTER TABLE purged ALTER COLUMN place DROP DEFAULT;
ALTER TABLE purged DROP CONSTRAINT IF EXISTS purged_pkey;
ALTER TABLE purged ADD PRIMARY KEY (account_id, digest, place);
