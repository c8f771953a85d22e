-- The graph: links between memories, trigger patterns, clusters, and documents.

ALTER TABLE events ADD COLUMN document TEXT;

CREATE TABLE links (
    source   INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    relation TEXT    NOT NULL,
    target   BLOB    NOT NULL,           -- an id: what it names may be gone, and may come back
    weight   REAL    NOT NULL,
    PRIMARY KEY (source, relation, target)
) WITHOUT ROWID;
-- Strongest and newest first, so that a hub is read no further than needed.
CREATE INDEX links_target ON links (target, weight DESC, source DESC);

CREATE TABLE triggers (
    account INTEGER NOT NULL,
    row     INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    pattern TEXT    NOT NULL,
    PRIMARY KEY (account, row, pattern)
) WITHOUT ROWID;

CREATE TABLE clusters (
    cluster  INTEGER PRIMARY KEY,
    id       BLOB    NOT NULL UNIQUE,
    account  INTEGER NOT NULL,
    scope    TEXT    NOT NULL,           -- the room its members live in
    room     TEXT    NOT NULL,
    name     TEXT    NOT NULL,
    model    TEXT    NOT NULL,
    centroid BLOB    NOT NULL,
    radius   REAL    NOT NULL,
    made_at  INTEGER NOT NULL
);
CREATE INDEX clusters_account ON clusters (account);

CREATE TABLE members (
    row     INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    cluster INTEGER NOT NULL REFERENCES clusters ON DELETE CASCADE
);
CREATE INDEX members_cluster ON members (cluster, row);

CREATE TABLE documents (
    id         BLOB    PRIMARY KEY,
    account    INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    scope      TEXT    NOT NULL,
    room       TEXT    NOT NULL,
    project    TEXT    NOT NULL,
    body       TEXT    NOT NULL,         -- JSON
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (account, kind, name, scope, room, project)
) WITHOUT ROWID;
