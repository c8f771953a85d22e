-- The whole schema of a recollect file, as a new one gets it. Upgrades are migrations/NNNN.sql; a test proves they agree.
-- Times are whole microseconds since 1970 in UTC. Ids are the 16 bytes of a UUIDv7.

CREATE TABLE notes (
    name  TEXT PRIMARY KEY,              -- store id, keyed-hash secret, calibration of the embedder
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE accounts (
    account INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE
);

CREATE TABLE memories (
    row          INTEGER PRIMARY KEY,
    id           BLOB    NOT NULL UNIQUE,
    account      INTEGER NOT NULL REFERENCES accounts,
    content      TEXT    NOT NULL,
    digest       BLOB    NOT NULL,       -- keyed hash of the normalised text: finds exact duplicates
    type         TEXT    NOT NULL,
    scope        TEXT    NOT NULL,
    agent        TEXT,
    team         TEXT,
    project      TEXT,
    session      TEXT,
    task         TEXT,
    importance   REAL    NOT NULL,
    weight       REAL    NOT NULL,
    confidence   REAL    NOT NULL,
    trust        REAL    NOT NULL,
    score        INTEGER NOT NULL,
    strength     INTEGER NOT NULL,
    access_count INTEGER NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    accessed_at  INTEGER NOT NULL,
    hit_at       INTEGER,
    valid_from   INTEGER,
    valid_until  INTEGER,
    expires_at   INTEGER,
    delivery     TEXT    NOT NULL,
    status       TEXT    NOT NULL,       -- active, archived or forgotten; superseded is worked out when read
    supersedes   BLOB,
    source       TEXT    NOT NULL,
    position     INTEGER,
    speaker      TEXT,
    occurred_at  INTEGER,
    tags         TEXT    NOT NULL,       -- JSON list
    more         TEXT,                   -- JSON of what few memories have: breadcrumbs, labels, file paths, snippet …
    key          TEXT,
    touched      INTEGER                 -- the number of the last count of accesses this row was in
);
CREATE INDEX memories_digest ON memories (account, digest);
CREATE INDEX memories_supersedes ON memories (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX memories_touched ON memories (touched) WHERE touched IS NOT NULL;
-- An idempotency key belongs to one place: what lives elsewhere may use the same.
CREATE UNIQUE INDEX memories_key ON memories (
    account, key, scope, coalesce(agent, ''), coalesce(team, ''), coalesce(project, ''), coalesce(session, ''), coalesce(task, '')
) WHERE key IS NOT NULL;

CREATE TABLE tags (
    account INTEGER NOT NULL,
    tag     TEXT    NOT NULL,
    row     INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    PRIMARY KEY (account, tag, row)
) WITHOUT ROWID;
CREATE INDEX tags_row ON tags (row);

CREATE TABLE vectors (
    row    INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    model  TEXT NOT NULL,                -- only vectors of the model in use are ever compared
    vector BLOB NOT NULL                 -- one or more unit vectors, half precision, end to end
);

CREATE TABLE events (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    account   INTEGER NOT NULL,
    operation BLOB    NOT NULL,
    at        INTEGER NOT NULL,
    actor     TEXT    NOT NULL,
    kind      TEXT    NOT NULL,
    memory    BLOB    NOT NULL,
    row       INTEGER NOT NULL,          -- where the memory stood, so that an index can drop what is gone
    before    TEXT,
    after     TEXT,
    reason    TEXT,
    undoes    BLOB,
    document  TEXT                       -- the kind of document it is about; nothing for a memory
);
CREATE INDEX events_memory ON events (memory);
CREATE INDEX events_undoes ON events (undoes) WHERE undoes IS NOT NULL;

CREATE TABLE purged (
    account INTEGER NOT NULL,
    digest  BLOB    NOT NULL,
    PRIMARY KEY (account, digest)
) WITHOUT ROWID;

CREATE TABLE switches (
    account INTEGER NOT NULL,
    project TEXT    NOT NULL,            -- '*' is every project
    PRIMARY KEY (account, project)
) WITHOUT ROWID;

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

-- Who read and wrote what of a context; a log, neither journalled nor undone.
CREATE TABLE accesses (
    account  INTEGER NOT NULL,
    document BLOB    NOT NULL,
    at       INTEGER NOT NULL,
    agent    TEXT,
    action   TEXT    NOT NULL,
    memory   BLOB
);
CREATE INDEX accesses_document ON accesses (account, document);
