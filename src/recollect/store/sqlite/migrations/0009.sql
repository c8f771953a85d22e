-- Memories of a user, and metadata with what it is filtered by.
ALTER TABLE memories ADD COLUMN user TEXT;
DROP INDEX memories_key;
CREATE UNIQUE INDEX memories_key ON memories (
    account, key, scope, coalesce(agent, ''), coalesce(team, ''), coalesce(project, ''), coalesce(session, ''), coalesce(task, ''),
    coalesce(user, '')
) WHERE key IS NOT NULL;

-- What memories are filtered by: each path of their metadata, and the values there as text that is ordered as they are.
CREATE TABLE metadata (
    account INTEGER NOT NULL,
    path    TEXT    NOT NULL,
    value   TEXT    NOT NULL,
    row     INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    PRIMARY KEY (account, path, value, row)
) WITHOUT ROWID;
CREATE INDEX metadata_row ON metadata (row);

DROP TRIGGER memories_added;
DROP TRIGGER memories_removed;
DROP TRIGGER memories_changed;
DROP TRIGGER memories_moved;
DROP TRIGGER tags_added;
DROP TRIGGER tags_removed;
DROP TRIGGER vectors_added;
DROP TRIGGER vectors_removed;
DROP TRIGGER vectors_changed;
DROP TRIGGER events_added;
CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN
    INSERT INTO counts VALUES (new.account, 'memory', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') WHEN 'user' THEN coalesce(new.user, '') ELSE '' END, new.status, new.type, coalesce('=' || new.project, ''), 1)
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
    INSERT INTO counts SELECT new.account, 'event', new.scope, CASE new.scope WHEN 'agent' THEN coalesce(new.agent, '') WHEN 'team' THEN coalesce(new.team, '') WHEN 'user' THEN coalesce(new.user, '') ELSE '' END, '', '', '', e.number
        FROM (SELECT count(*) AS number FROM events WHERE memory = new.id AND +account = new.account) AS e WHERE e.number > 0
        ON CONFLICT DO UPDATE SET number = number + excluded.number;
END;
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
