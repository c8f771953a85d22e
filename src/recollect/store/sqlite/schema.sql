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
    touched      INTEGER,                -- the number of the last count of accesses this row was in
    checksum     INTEGER,                -- over all columns but the row, to find damage; counters add to it as they are counted
    user         TEXT
);
CREATE INDEX memories_digest ON memories (account, digest);
CREATE INDEX memories_supersedes ON memories (account, supersedes) WHERE supersedes IS NOT NULL;
-- A list shows the newest of one status first.
CREATE INDEX memories_status ON memories (account, status);
CREATE INDEX memories_project ON memories (account, project, status) WHERE project IS NOT NULL;
-- The last two bytes of an id: ids are also named by how they end, with four digits or more.
CREATE INDEX memories_ending ON memories (substr(id, 15));
CREATE INDEX memories_touched ON memories (touched) WHERE touched IS NOT NULL;
-- An idempotency key belongs to one place: what lives elsewhere may use the same.
CREATE UNIQUE INDEX memories_key ON memories (
    account, key, scope, coalesce(agent, ''), coalesce(team, ''), coalesce(project, ''), coalesce(session, ''), coalesce(task, ''),
    coalesce(user, '')
) WHERE key IS NOT NULL;

CREATE TABLE tags (
    account INTEGER NOT NULL,
    tag     TEXT    NOT NULL,
    row     INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    PRIMARY KEY (account, tag, row)
) WITHOUT ROWID;
CREATE INDEX tags_row ON tags (row);

-- What memories are filtered by: each path of their metadata, and the values there as text that is ordered as they are.
CREATE TABLE metadata (
    account INTEGER NOT NULL,
    path    TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    row     INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    PRIMARY KEY (account, path, value, row)
) WITHOUT ROWID;
CREATE INDEX metadata_row ON metadata (row);

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
    document  TEXT,                      -- the kind of document it is about; nothing for a memory
    origin    TEXT    NOT NULL DEFAULT 'person'  -- on whose behalf: person, agent, import, companion, upkeep
);
CREATE INDEX events_memory ON events (memory);
CREATE INDEX events_account ON events (account);
CREATE INDEX events_operation ON events (operation);
CREATE INDEX events_ending ON events (substr(operation, 15));
CREATE INDEX events_undoes ON events (undoes) WHERE undoes IS NOT NULL;

CREATE TABLE purged (
    account INTEGER NOT NULL,
    digest  BLOB    NOT NULL,
    place   TEXT    NOT NULL,            -- where the memory lived, as a JSON list: who could not see it is told nothing
    PRIMARY KEY (account, digest, place)
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
-- Finds the contradictions on record without reading the memories.
CREATE INDEX links_relation ON links (relation, source);

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
-- How many there are of what, kept by the triggers below, so that `stats` need not read every row. `room` is the agent, team
-- or user whose memories only those see who are, belong to, or serve it. Rows that reach zero go: the name of a purged tag must not stay.
CREATE TABLE counts (
    account INTEGER NOT NULL,
    what    TEXT    NOT NULL,            -- memory, tag, model, event
    scope   TEXT    NOT NULL,
    room    TEXT    NOT NULL,
    status  TEXT    NOT NULL,            -- of memories, like the type
    type    TEXT    NOT NULL,
    name    TEXT    NOT NULL,            -- the tag, the model, or of memories '=' and the project
    number  INTEGER NOT NULL,
    PRIMARY KEY (account, what, scope, room, status, type, name)
) WITHOUT ROWID;
CREATE TRIGGER counts_zero AFTER UPDATE ON counts WHEN new.number = 0 BEGIN
    DELETE FROM counts WHERE (account, what, scope, room, status, type, name)
        = (new.account, new.what, new.scope, new.room, new.status, new.type, new.name);
END;

CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
    INSERT INTO counts VALUES (new.account, 'memory', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') WHEN 'user' THEN coalesce(new.user, '') ELSE '' END, new.status, new.type, coalesce('=' || new.project, ''), 1)
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT new.account, 'event', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') WHEN 'user' THEN coalesce(new.user, '') ELSE '' END, '', '', '', e.number
        FROM (SELECT count(*) AS number FROM events WHERE memory = new.id AND +account = new.account) AS e WHERE e.number > 0
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
-- Before: its tags and its vector go with it, and are still there to be counted.
CREATE TRIGGER memories_removed BEFORE DELETE ON memories BEGIN
    INSERT INTO counts VALUES (old.account, 'memory', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') WHEN 'user' THEN coalesce(old.user, '') ELSE '' END, old.status, old.type, coalesce('=' || old.project, ''), -1)
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'tag', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') WHEN 'user' THEN coalesce(old.user, '') ELSE '' END, '', '', t.tag, -1 FROM tags AS t WHERE t.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'model', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') WHEN 'user' THEN coalesce(old.user, '') ELSE '' END, '', '', v.model, -1 FROM vectors AS v WHERE v.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'event', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') WHEN 'user' THEN coalesce(old.user, '') ELSE '' END, '', '', '', -e.number
        FROM (SELECT count(*) AS number FROM events WHERE memory = old.id AND +account = old.account) AS e WHERE e.number > 0
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF status, type, scope, agent, team, user, project ON memories
WHEN (old.status, old.type, old.scope, old.agent, old.team, old.user, old.project)
    IS NOT (new.status, new.type, new.scope, new.agent, new.team, new.user, new.project) BEGIN
    INSERT INTO counts VALUES (old.account, 'memory', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') WHEN 'user' THEN coalesce(old.user, '') ELSE '' END, old.status, old.type, coalesce('=' || old.project, ''), -1)
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts VALUES (new.account, 'memory', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') WHEN 'user' THEN coalesce(new.user, '') ELSE '' END, new.status, new.type, coalesce('=' || new.project, ''), 1)
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER memories_moved AFTER UPDATE OF scope, agent, team, user ON memories
WHEN (old.scope, old.agent, old.team, old.user) IS NOT (new.scope, new.agent, new.team, new.user) BEGIN
    INSERT INTO counts SELECT old.account, 'tag', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') WHEN 'user' THEN coalesce(old.user, '') ELSE '' END, '', '', t.tag, -1 FROM tags AS t WHERE t.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'model', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') WHEN 'user' THEN coalesce(old.user, '') ELSE '' END, '', '', v.model, -1 FROM vectors AS v WHERE v.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'event', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') WHEN 'user' THEN coalesce(old.user, '') ELSE '' END, '', '', '', -e.number
        FROM (SELECT count(*) AS number FROM events WHERE memory = old.id AND +account = old.account) AS e WHERE e.number > 0
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT new.account, 'tag', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') WHEN 'user' THEN coalesce(new.user, '') ELSE '' END, '', '', t.tag, 1 FROM tags AS t WHERE t.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT new.account, 'model', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') WHEN 'user' THEN coalesce(new.user, '') ELSE '' END, '', '', v.model, 1 FROM vectors AS v WHERE v.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT new.account, 'event', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') WHEN 'user' THEN coalesce(new.user, '') ELSE '' END, '', '', '', e.number
        FROM (SELECT count(*) AS number FROM events WHERE memory = new.id AND +account = new.account) AS e WHERE e.number > 0
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER tags_added AFTER INSERT ON tags BEGIN
    INSERT INTO counts SELECT m.account, 'tag', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') WHEN 'user' THEN coalesce(m.user, '') ELSE '' END, '', '', new.tag, 1 FROM memories AS m WHERE m.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER tags_removed AFTER DELETE ON tags BEGIN
    INSERT INTO counts SELECT m.account, 'tag', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') WHEN 'user' THEN coalesce(m.user, '') ELSE '' END, '', '', old.tag, -1 FROM memories AS m WHERE m.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
    INSERT INTO counts SELECT m.account, 'model', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') WHEN 'user' THEN coalesce(m.user, '') ELSE '' END, '', '', new.model, 1 FROM memories AS m WHERE m.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
    INSERT INTO counts SELECT m.account, 'model', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') WHEN 'user' THEN coalesce(m.user, '') ELSE '' END, '', '', old.model, -1 FROM memories AS m WHERE m.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER vectors_changed AFTER UPDATE OF model ON vectors WHEN old.model <> new.model BEGIN
    INSERT INTO counts SELECT m.account, 'model', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') WHEN 'user' THEN coalesce(m.user, '') ELSE '' END, '', '', old.model, -1 FROM memories AS m WHERE m.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT m.account, 'model', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') WHEN 'user' THEN coalesce(m.user, '') ELSE '' END, '', '', new.model, 1 FROM memories AS m WHERE m.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER events_added AFTER INSERT ON events BEGIN
    INSERT INTO counts SELECT m.account, 'event', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') WHEN 'user' THEN coalesce(m.user, '') ELSE '' END, '', '', '', 1 FROM memories AS m
        WHERE m.id = new.memory AND +m.account = new.account
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;

-- Leases: of many processes, one does a piece of background work.
CREATE TABLE leases (
    account TEXT    NOT NULL,            -- '' for work of the whole store
    work    TEXT    NOT NULL,
    holder  TEXT    NOT NULL,
    until   INTEGER NOT NULL,            -- from then on somebody else may take it
    PRIMARY KEY (account, work)
) WITHOUT ROWID;
