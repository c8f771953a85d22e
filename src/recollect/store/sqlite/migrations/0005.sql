-- No verb reads the whole store any more: lists and undo by index, statistics from counters; and leases.

DROP INDEX memories_supersedes;
CREATE INDEX memories_supersedes ON memories (account, supersedes) WHERE supersedes IS NOT NULL;
-- A list shows the newest of one status first.
CREATE INDEX memories_status ON memories (account, status);
CREATE INDEX memories_project ON memories (account, project, status) WHERE project IS NOT NULL;
-- The last two bytes of an id: ids are also named by how they end, with four digits or more.
CREATE INDEX memories_ending ON memories (substr(id, 15));
CREATE INDEX events_account ON events (account);
CREATE INDEX events_operation ON events (operation);
CREATE INDEX events_ending ON events (substr(operation, 15));

-- How many there are of what, kept by the triggers below, so that `stats` need not read every row. `room` is the agent or team
-- whose memories only those see who are, or belong to, it. Rows that reach zero go: the name of a purged tag must not stay.
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
    INSERT INTO counts VALUES (new.account, 'memory', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') ELSE '' END, new.status, new.type, coalesce('=' || new.project, ''), 1)
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT new.account, 'event', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') ELSE '' END, '', '', '', e.number
        FROM (SELECT count(*) AS number FROM events WHERE memory = new.id AND +account = new.account) AS e WHERE e.number > 0
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
-- Before: its tags and its vector go with it, and are still there to be counted.
CREATE TRIGGER memories_removed BEFORE DELETE ON memories BEGIN
    INSERT INTO counts VALUES (old.account, 'memory', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') ELSE '' END, old.status, old.type, coalesce('=' || old.project, ''), -1)
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'tag', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') ELSE '' END, '', '', t.tag, -1 FROM tags AS t WHERE t.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'model', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') ELSE '' END, '', '', v.model, -1 FROM vectors AS v WHERE v.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'event', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') ELSE '' END, '', '', '', -e.number
        FROM (SELECT count(*) AS number FROM events WHERE memory = old.id AND +account = old.account) AS e WHERE e.number > 0
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF status, type, scope, agent, team, project ON memories
WHEN (old.status, old.type, old.scope, old.agent, old.team, old.project)
    IS NOT (new.status, new.type, new.scope, new.agent, new.team, new.project) BEGIN
    INSERT INTO counts VALUES (old.account, 'memory', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') ELSE '' END, old.status, old.type, coalesce('=' || old.project, ''), -1)
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts VALUES (new.account, 'memory', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') ELSE '' END, new.status, new.type, coalesce('=' || new.project, ''), 1)
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER memories_moved AFTER UPDATE OF scope, agent, team ON memories
WHEN (old.scope, old.agent, old.team) IS NOT (new.scope, new.agent, new.team) BEGIN
    INSERT INTO counts SELECT old.account, 'tag', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') ELSE '' END, '', '', t.tag, -1 FROM tags AS t WHERE t.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'model', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') ELSE '' END, '', '', v.model, -1 FROM vectors AS v WHERE v.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT old.account, 'event', old.scope, CASE old.scope WHEN 'agent' THEN coalesce(old.agent, '') WHEN 'team' THEN coalesce(old.team, '') ELSE '' END, '', '', '', -e.number
        FROM (SELECT count(*) AS number FROM events WHERE memory = old.id AND +account = old.account) AS e WHERE e.number > 0
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT new.account, 'tag', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') ELSE '' END, '', '', t.tag, 1 FROM tags AS t WHERE t.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT new.account, 'model', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') ELSE '' END, '', '', v.model, 1 FROM vectors AS v WHERE v.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT new.account, 'event', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') ELSE '' END, '', '', '', e.number
        FROM (SELECT count(*) AS number FROM events WHERE memory = new.id AND +account = new.account) AS e WHERE e.number > 0
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER tags_added AFTER INSERT ON tags BEGIN
    INSERT INTO counts SELECT m.account, 'tag', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', new.tag, 1 FROM memories AS m WHERE m.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER tags_removed AFTER DELETE ON tags BEGIN
    INSERT INTO counts SELECT m.account, 'tag', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', old.tag, -1 FROM memories AS m WHERE m.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER vectors_added AFTER INSERT ON vectors BEGIN
    INSERT INTO counts SELECT m.account, 'model', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', new.model, 1 FROM memories AS m WHERE m.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER vectors_removed AFTER DELETE ON vectors BEGIN
    INSERT INTO counts SELECT m.account, 'model', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', old.model, -1 FROM memories AS m WHERE m.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER vectors_changed AFTER UPDATE OF model ON vectors WHEN old.model <> new.model BEGIN
    INSERT INTO counts SELECT m.account, 'model', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', old.model, -1 FROM memories AS m WHERE m.row = old.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT m.account, 'model', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', new.model, 1 FROM memories AS m WHERE m.row = new.row
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
CREATE TRIGGER events_added AFTER INSERT ON events BEGIN
    INSERT INTO counts SELECT m.account, 'event', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', '', 1 FROM memories AS m
        WHERE m.id = new.memory AND +m.account = new.account
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;

INSERT INTO counts
SELECT m.account, 'memory', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, m.status, m.type, coalesce('=' || m.project, ''), count(*) FROM memories AS m GROUP BY 1, 2, 3, 4, 5, 6, 7
UNION ALL
SELECT m.account, 'tag', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', t.tag, count(*) FROM tags AS t JOIN memories AS m ON m.row = t.row GROUP BY 1, 2, 3, 4, 5, 6, 7
UNION ALL
SELECT m.account, 'model', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', v.model, count(*) FROM vectors AS v JOIN memories AS m ON m.row = v.row GROUP BY 1, 2, 3, 4, 5, 6, 7
UNION ALL
SELECT m.account, 'event', m.scope, CASE m.scope WHEN 'agent' THEN coalesce(m.agent, '') WHEN 'team' THEN coalesce(m.team, '') ELSE '' END, '', '', '', count(*) FROM events AS e JOIN memories AS m ON m.id = e.memory AND m.account = e.account
GROUP BY 1, 2, 3, 4, 5, 6, 7;

-- Leases: of many processes, one does a piece of background work.
CREATE TABLE leases (
    account TEXT    NOT NULL,            -- '' for work of the whole store
    work    TEXT    NOT NULL,
    holder  TEXT    NOT NULL,
    until   INTEGER NOT NULL,            -- from then on somebody else may take it
    PRIMARY KEY (account, work)
) WITHOUT ROWID;

-- Finds the contradictions on record without reading the memories.
CREATE INDEX links_relation ON links (relation, source);
