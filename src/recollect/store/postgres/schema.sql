-- The whole schema of a recollect database, as a new one gets it. Upgrades are migrations/NNNN.sql; a test proves they agree.
-- Every key begins with account_id and every table is hash-partitioned by it; no constraint spans two accounts, so that a cluster
-- can distribute the tables by account_id as they are. Times are whole microseconds since 1970 in UTC.
-- account_id is a hash of the account's name; 0 is the store itself.

CREATE SEQUENCE memory_rows;
CREATE SEQUENCE journal_seq;
CREATE SEQUENCE access_numbers;

CREATE TABLE notes (
    account_id bigint NOT NULL,
    name       text   NOT NULL,               -- of the store: id, schema, calibrations; of an account: key of its hashes, counters
    value      text   NOT NULL,
    PRIMARY KEY (account_id, name)
) PARTITION BY HASH (account_id);

-- One row per account: its name, its last event, and what the scores of terms need.
CREATE TABLE accounts (
    account_id bigint NOT NULL PRIMARY KEY,
    name       text   NOT NULL,
    seq        bigint NOT NULL DEFAULT 0,      -- its last event: what a process knows of the account is valid until it changes
    held       bigint NOT NULL DEFAULT 0,      -- memories, whatever their status
    words      bigint NOT NULL DEFAULT 0,      -- terms of all of them
    replacing  bigint NOT NULL DEFAULT 0,      -- those that name one they supersede
    clusters   text                            -- another one whenever its clusters changed; nothing while it has none
) PARTITION BY HASH (account_id);

CREATE TABLE memories (
    -- What a search reads comes first: to reach a column, the server skips over every column before it.
    account_id   bigint   NOT NULL,
    row          bigint   NOT NULL DEFAULT nextval('memory_rows'),
    created_at   bigint   NOT NULL,
    accessed_at  bigint   NOT NULL,
    access_count integer  NOT NULL,
    role         smallint NOT NULL,            -- whether a person, an assistant or a machine spoke
    standing     boolean  NOT NULL,            -- a standing instruction, as the scorer sees it
    status       text     NOT NULL,            -- active, archived or forgotten; superseded is worked out when read
    place        text     NOT NULL COLLATE "C", -- where it lives, in one comparable piece: scope, room, project
    valid_from   bigint,
    valid_until  bigint,
    expires_at   bigint,
    facets       bytea    NOT NULL,            -- what the scorer looks at, in one piece: read hundreds at a time
    packed_words bytea    NOT NULL,            -- its words, the same
    session      text,
    position     integer,
    occurred_at  bigint,
    id           uuid     NOT NULL,
    id_tail      text     COLLATE "C" GENERATED ALWAYS AS (reverse(right(replace(id::text, '-', ''), 12))) STORED, -- to find an id by its end
    content      text     NOT NULL,
    digest       bytea    NOT NULL,            -- keyed hash of the normalised text: finds exact duplicates
    type         text     NOT NULL,
    scope        text     NOT NULL,
    agent        text,
    team         text,
    project      text,
    task         text,
    importance   double precision NOT NULL,
    weight       double precision NOT NULL,
    confidence   double precision NOT NULL,
    trust        double precision NOT NULL,
    score        integer  NOT NULL,
    strength     integer  NOT NULL,
    updated_at   bigint   NOT NULL,
    hit_at       bigint,
    delivery     text     NOT NULL,
    supersedes   uuid,
    source       text     NOT NULL,
    speaker      text,
    season       text,
    tags         text[]   NOT NULL,
    more         text,                         -- JSON of what few memories have: breadcrumbs, labels, file paths, snippet …
    key          text,
    words        integer[] NOT NULL,           -- its terms, each a hash of account and term, as often as they occur
    "user"       text,
    PRIMARY KEY (account_id, row),
    UNIQUE (account_id, id)
) PARTITION BY HASH (account_id);
CREATE INDEX memories_id_tail ON memories (account_id, id_tail);
CREATE INDEX memories_digest ON memories (account_id, digest);
CREATE INDEX memories_supersedes ON memories (account_id, supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX memories_place ON memories (account_id, place);
CREATE INDEX memories_thread ON memories (account_id, session, position) WHERE session IS NOT NULL;
CREATE INDEX memories_happened ON memories (account_id, (coalesce(occurred_at, created_at)));
CREATE INDEX memories_standing ON memories (account_id, row) WHERE standing;
CREATE INDEX memories_importance ON memories (account_id, (importance::real) DESC, created_at DESC, row DESC);
CREATE INDEX memories_latest ON memories (account_id, (greatest(created_at, hit_at)) DESC, row DESC);
CREATE INDEX memories_delivery ON memories (account_id, delivery) WHERE delivery <> 'on_demand';
-- Without a list of pending entries, which every search would have to read through.
CREATE INDEX memories_words ON memories USING gin (words) WITH (fastupdate = off);
-- An idempotency key belongs to one place: what lives elsewhere may use the same.
CREATE UNIQUE INDEX memories_key ON memories (account_id, key, place) WHERE key IS NOT NULL;

-- Tags, metadata and vectors have no foreign key, which would cost more than the row itself: the writer deletes them with the memory.
CREATE TABLE tags (
    account_id bigint NOT NULL,
    tag        text   NOT NULL,
    row        bigint NOT NULL,
    PRIMARY KEY (account_id, tag, row)
) PARTITION BY HASH (account_id);
CREATE INDEX tags_row ON tags (account_id, row);

-- What memories are filtered by: each path of their metadata, and the values there as text that is ordered as they are.
CREATE TABLE metadata (
    account_id bigint NOT NULL,
    path       text   NOT NULL COLLATE "C",
    value      text   NOT NULL COLLATE "C",
    row        bigint NOT NULL,
    PRIMARY KEY (account_id, path, value, row)
) PARTITION BY HASH (account_id);
CREATE INDEX metadata_row ON metadata (account_id, row);

-- One or more unit vectors per memory, that of its whole text first. A large account gets a vector index of its own, a small one none.
CREATE TABLE vectors (
    account_id bigint   NOT NULL,
    row        bigint   NOT NULL,
    part       smallint NOT NULL,
    model      text     NOT NULL,              -- only vectors of the model in use are ever compared
    vector     halfvec  NOT NULL,
    waiting    boolean  NOT NULL,              -- not in the account's vector index yet: every search measures it until it is
    PRIMARY KEY (account_id, row, part)
) PARTITION BY HASH (account_id);
CREATE INDEX vectors_waiting ON vectors (account_id, row) WHERE waiting;

-- How many memories hold a term.
CREATE TABLE terms (
    account_id bigint  NOT NULL,
    word       integer NOT NULL,
    memories   integer NOT NULL,
    PRIMARY KEY (account_id, word)
) PARTITION BY HASH (account_id);

-- How many memories and vectors are in a place: a search chooses from this between measuring all and the vector index.
CREATE TABLE rooms (
    account_id bigint NOT NULL,
    place      text   NOT NULL COLLATE "C",
    model      text   NOT NULL,                -- '' counts memories, a model's name its vectors
    held       bigint NOT NULL,
    PRIMARY KEY (account_id, place, model)
) PARTITION BY HASH (account_id);

-- What `stats` tells, counted per room (an agent's, a team's, a user's, else one per scope): memories by status, type and project, tags, models
-- of vectors, events.
CREATE TABLE tallies (
    account_id bigint NOT NULL,
    kind       text   NOT NULL,                -- status, type, project (the last two of active memories), tag, model, event
    name       text   NOT NULL,
    room       text   NOT NULL COLLATE "C",
    held       bigint NOT NULL,
    PRIMARY KEY (account_id, kind, name, room)
) PARTITION BY HASH (account_id);

-- The sum of the vectors of whole texts: their mean is what an unrelated memory looks like.
CREATE TABLE centers (
    account_id bigint NOT NULL,
    model      text   NOT NULL,
    vectors    bigint NOT NULL,
    total      vector NOT NULL,
    PRIMARY KEY (account_id, model)
) PARTITION BY HASH (account_id);

CREATE TABLE events (
    account_id bigint NOT NULL,
    seq        bigint NOT NULL DEFAULT nextval('journal_seq'),
    operation  uuid   NOT NULL,
    at         bigint NOT NULL,
    actor      text   NOT NULL,
    kind       text   NOT NULL,
    memory     uuid   NOT NULL,
    row        bigint NOT NULL,
    before     text,
    after      text,
    reason     text,
    undoes     uuid,
    document   text,                           -- the kind of document it is about; nothing for a memory
    operation_tail text COLLATE "C" GENERATED ALWAYS AS (reverse(right(replace(operation::text, '-', ''), 12))) STORED,
    origin     text   NOT NULL DEFAULT 'person',  -- on whose behalf: person, agent, import, companion, upkeep
    PRIMARY KEY (account_id, seq)
) PARTITION BY HASH (account_id);
CREATE INDEX events_memory ON events (account_id, memory, seq);
CREATE INDEX events_operation ON events (account_id, operation, seq);
CREATE INDEX events_operation_tail ON events (account_id, operation_tail);
CREATE INDEX events_undoes ON events (account_id, undoes) WHERE undoes IS NOT NULL;

CREATE TABLE purged (
    account_id bigint NOT NULL,
    digest     bytea  NOT NULL,
    place      text   NOT NULL COLLATE "C",    -- where the memory lived: who could not see it is told nothing
    PRIMARY KEY (account_id, digest, place)
) PARTITION BY HASH (account_id);

CREATE TABLE switches (
    account_id bigint NOT NULL,
    project    text   NOT NULL,                -- '*' is every project
    PRIMARY KEY (account_id, project)
) PARTITION BY HASH (account_id);

CREATE TABLE links (
    account_id bigint NOT NULL,
    source     bigint NOT NULL,
    relation   text   NOT NULL,
    target     uuid   NOT NULL,                -- an id: what it names may be gone, and may come back
    weight     double precision NOT NULL,
    PRIMARY KEY (account_id, source, relation, target),
    FOREIGN KEY (account_id, source) REFERENCES memories ON DELETE CASCADE
) PARTITION BY HASH (account_id);
CREATE INDEX links_relation ON links (account_id, relation, source);
-- Strongest and newest first, so that a hub is read no further than needed.
CREATE INDEX links_target ON links (account_id, target, weight DESC, source DESC);

CREATE TABLE triggers (
    account_id bigint NOT NULL,
    row        bigint NOT NULL,
    pattern    text   NOT NULL,
    PRIMARY KEY (account_id, row, pattern),
    FOREIGN KEY (account_id, row) REFERENCES memories ON DELETE CASCADE
) PARTITION BY HASH (account_id);

CREATE TABLE clusters (
    account_id bigint NOT NULL,
    id         uuid   NOT NULL,
    scope      text   NOT NULL,                -- the room its members live in
    room       text   NOT NULL,
    name       text   NOT NULL,
    model      text   NOT NULL,
    centroid   bytea  NOT NULL,
    radius     double precision NOT NULL,
    made_at    bigint NOT NULL,
    PRIMARY KEY (account_id, id)
) PARTITION BY HASH (account_id);

CREATE TABLE members (
    account_id bigint NOT NULL,
    row        bigint NOT NULL,
    cluster    uuid   NOT NULL,
    PRIMARY KEY (account_id, row),
    FOREIGN KEY (account_id, row) REFERENCES memories ON DELETE CASCADE,
    FOREIGN KEY (account_id, cluster) REFERENCES clusters ON DELETE CASCADE
) PARTITION BY HASH (account_id);
CREATE INDEX members_cluster ON members (account_id, cluster, row);

CREATE TABLE documents (
    account_id bigint NOT NULL,
    id         uuid   NOT NULL,
    kind       text   NOT NULL,
    name       text   NOT NULL COLLATE "C",
    scope      text   NOT NULL,
    room       text   NOT NULL,
    project    text   NOT NULL,
    body       text   NOT NULL,                -- JSON
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (account_id, id),
    UNIQUE (account_id, kind, name, scope, room, project)
) PARTITION BY HASH (account_id);

-- Who read and wrote what of a context; a log, neither journalled nor undone.
CREATE TABLE accesses (
    account_id bigint NOT NULL,
    document   uuid   NOT NULL,
    number     bigint NOT NULL DEFAULT nextval('access_numbers'),
    at         bigint NOT NULL,
    agent      text,
    action     text   NOT NULL,
    memory     uuid,
    PRIMARY KEY (account_id, document, number)
) PARTITION BY HASH (account_id);

-- Who does a piece of background work now, and until when it may be taken over.
CREATE TABLE leases (
    account_id bigint NOT NULL,
    work       text   NOT NULL,
    holder     text   NOT NULL,
    until      bigint NOT NULL,
    PRIMARY KEY (account_id, work)
) PARTITION BY HASH (account_id);

-- The index of terms under row-level security: its operators are not leakproof, so a policy keeps them from being index conditions.
-- These functions of the owner look terms up instead, and restrict themselves to the account of the transaction. Each is planned
-- once, for any account and any terms. The two conditions that every row meets are for the planner only: it takes a condition of
-- unknown value for one that few rows meet, and so asks the index of terms alone, never the entries of a whole account.

-- The rows that have one of some terms, in some places (without any: in all), as they are at a moment.
CREATE FUNCTION words_any(marks integer[], places text[], statuses text[], at bigint, past boolean)
RETURNS TABLE ("row" bigint, words bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    own bigint := nullif(current_setting('recollect.account', true), '')::bigint;
    none integer[] := '{}';
BEGIN
    RETURN QUERY
    SELECT m.row, m.packed_words FROM memories AS m
    WHERE m.account_id = own AND m.words && marks AND m.words @> none AND m.words @> (none || none) AND (places IS NULL OR m.place = ANY (places)) AND m.status = ANY (statuses)
      AND (m.status <> 'active' OR (
          (m.expires_at IS NULL OR m.expires_at > at) AND (m.valid_until IS NULL OR m.valid_until > at)
          AND (CASE WHEN past THEN coalesce(m.valid_from, m.occurred_at, m.created_at) ELSE m.valid_from END > at) IS NOT TRUE));
END
$$;

-- The rows that have all of some terms, at most so many.
CREATE FUNCTION words_all(marks integer[], most integer)
RETURNS TABLE ("row" bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
SET search_path FROM CURRENT SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    own bigint := nullif(current_setting('recollect.account', true), '')::bigint;
    none integer[] := '{}';
BEGIN
    RETURN QUERY
    SELECT m.row FROM memories AS m WHERE m.account_id = own AND m.words @> marks AND m.words @> none AND m.words @> (none || none)
    LIMIT most;
END
$$;
