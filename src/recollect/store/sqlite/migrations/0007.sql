-- A purged text is refused only to those who could see the memory. Digests of before hold for the whole account.
CREATE TABLE purged_of_all AS SELECT account, digest FROM purged;
DROP TABLE purged;
CREATE TABLE purged (
    account INTEGER NOT NULL,
    digest  BLOB    NOT NULL,
    place   TEXT    NOT NULL,            -- where the memory lived, as a JSON list: who could not see it is told nothing
    PRIMARY KEY (account, digest, place)
) WITHOUT ROWID;
INSERT INTO purged SELECT account, digest, '["global","",""]' FROM purged_of_all;
DROP TABLE purged_of_all;
