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
    key          TEXT
);
CREATE INDEX memories_digest ON memories (account, digest);
CREATE INDEX memories_supersedes ON memories (supersedes) WHERE supersedes IS NOT NULL;
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
    undoes    BLOB
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
