-- Who read and wrote what of a context, and when.

CREATE TABLE accesses (
    account  INTEGER NOT NULL,
    document BLOB    NOT NULL,
    at       INTEGER NOT NULL,
    agent    TEXT,
    action   TEXT    NOT NULL,
    memory   BLOB
);
CREATE INDEX accesses_document ON accesses (account, document);
