-- Every query of the embedded back end, by name. A `+` before account keeps the planner from walking the whole account.
-- `-- name: purpose` starts one; values are bound, never formatted.

-- get_note: One note of the store.
SELECT value FROM notes WHERE name = :name

-- set_note: Write one note.
INSERT INTO notes (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- find_account: The number of an account.
SELECT account FROM accounts WHERE name = :name

-- add_account: Make an account known.
INSERT INTO accounts (name) VALUES (:name)

-- last_seq: Where the journal stands.
SELECT seq FROM events ORDER BY seq DESC LIMIT 1

-- insert_memory: A new row.
INSERT INTO memories (
    id, account, content, digest, type, scope, agent, team, project, session, task, importance, weight, confidence, trust,
    score, strength, access_count, created_at, updated_at, accessed_at, hit_at, valid_from, valid_until, expires_at,
    delivery, status, supersedes, source, position, speaker, occurred_at, tags, more, key)
VALUES (
    :id, :account, :content, :digest, :type, :scope, :agent, :team, :project, :session, :task, :importance, :weight, :confidence, :trust,
    :score, :strength, :access_count, :created_at, :updated_at, :accessed_at, :hit_at, :valid_from, :valid_until, :expires_at,
    :delivery, :status, :supersedes, :source, :position, :speaker, :occurred_at, :tags, :more, :key)

-- update_memory: Every field of a row but its counters and its identity.
UPDATE memories SET
    content = :content, digest = :digest, type = :type, scope = :scope, agent = :agent, team = :team, project = :project,
    session = :session, task = :task, importance = :importance, weight = :weight, confidence = :confidence, trust = :trust,
    score = :score, strength = :strength, updated_at = :updated_at, hit_at = :hit_at, valid_from = :valid_from,
    valid_until = :valid_until, expires_at = :expires_at, delivery = :delivery, status = :status, supersedes = :supersedes,
    source = :source, position = :position, speaker = :speaker, occurred_at = :occurred_at, tags = :tags, more = :more, key = :key
WHERE id = :id AND +account = :account

-- delete_memory: Take a row out; its tags and vector go with it.
DELETE FROM memories WHERE id = :id AND +account = :account

-- row_of: The row number of a memory.
SELECT row FROM memories WHERE id = :id AND +account = :account

-- get_memories: Rows by id (a JSON list of hexadecimal ids).
SELECT * FROM memories WHERE +account = :account AND id IN (SELECT id_bytes(value) FROM json_each(:ids))

-- fetch_rows: Rows by number (a JSON list).
SELECT * FROM memories WHERE +account = :account AND row IN (SELECT value FROM json_each(:rows))

-- add_tag: One tag of one row.
INSERT OR IGNORE INTO tags (account, tag, row) VALUES (:account, :tag, :row)

-- drop_tags: All tags of one row.
DELETE FROM tags WHERE row = :row

-- tagged: The rows that carry a tag.
SELECT row FROM tags WHERE account = :account AND tag = :tag

-- put_vector: The vectors of one row; those of another model are replaced.
INSERT INTO vectors (row, model, vector) VALUES (:row, :model, :vector)
ON CONFLICT (row) DO UPDATE SET model = excluded.model, vector = excluded.vector

-- drop_vector: A row without a vector is found by its words alone.
DELETE FROM vectors WHERE row = :row

-- add_event: One line of the journal.
INSERT INTO events (account, operation, at, actor, kind, memory, row, before, after, reason, undoes)
VALUES (:account, :operation, :at, :actor, :kind, :memory, :row, :before, :after, :reason, :undoes)

-- scrub_events: A purged memory leaves the skeleton of its journal, no images.
UPDATE events SET before = NULL, after = NULL, reason = NULL WHERE memory = :memory AND +account = :account

-- changed_since: Which memories the journal touched after a sequence number.
SELECT memory, row FROM events NOT INDEXED WHERE seq > :seq AND account = :account

-- all_entries: Every row of an account with its vector, for a rebuild.
SELECT m.*, v.vector AS vector, s.row AS supersedes_row FROM memories AS m
LEFT JOIN vectors AS v ON v.row = m.row AND v.model = :model
LEFT JOIN memories AS s ON s.id = m.supersedes
WHERE m.account = :account ORDER BY m.row

-- some_entries: The same for some ids (a JSON list of hexadecimal ids) and for whatever supersedes them.
SELECT m.*, v.vector AS vector, s.row AS supersedes_row FROM memories AS m
LEFT JOIN vectors AS v ON v.row = m.row AND v.model = :model
LEFT JOIN memories AS s ON s.id = m.supersedes
WHERE +m.account = :account AND m.row IN (
    SELECT row FROM memories WHERE id IN (SELECT id_bytes(value) FROM json_each(:ids))
    UNION SELECT row FROM memories WHERE supersedes IS NOT NULL AND supersedes IN (SELECT id_bytes(value) FROM json_each(:ids)))
ORDER BY m.row

-- by_digest: Memories with exactly this normalised text.
SELECT * FROM memories WHERE account = :account AND digest = :digest ORDER BY row

-- is_purged: Whether this text was erased for good.
SELECT 1 FROM purged WHERE account = :account AND digest = :digest

-- add_purged: The keyed hash is all that stays of a purged text.
INSERT OR IGNORE INTO purged (account, digest) VALUES (:account, :digest)

-- drop_purged: A person's explicit wish brings a purged text back.
DELETE FROM purged WHERE account = :account AND digest = :digest

-- by_key: The memory stored under an idempotency key.
SELECT * FROM memories WHERE account = :account AND key = :key

-- id_prefix: Ids between two bounds.
SELECT id FROM memories WHERE +account = :account AND id >= :low AND id <= :high LIMIT 20

-- id_suffix: Ids by their last hexadecimal digits.
SELECT id FROM memories WHERE account = :account AND lower(hex(id)) LIKE '%' || :suffix LIMIT 20

-- replacements: Who supersedes these memories (a JSON list of hexadecimal ids), and where those live.
SELECT s.*, t.scope AS target_scope, t.agent AS target_agent, t.team AS target_team,
       t.project AS target_project, t.session AS target_session, t.task AS target_task
FROM memories AS s JOIN memories AS t ON t.id = s.supersedes AND t.account = s.account
WHERE +s.account = :account AND s.supersedes IS NOT NULL AND s.supersedes IN (SELECT id_bytes(value) FROM json_each(:ids))

-- all_replacements: The same for the whole account (`:ids` is not used).
SELECT s.*, t.scope AS target_scope, t.agent AS target_agent, t.team AS target_team,
       t.project AS target_project, t.session AS target_session, t.task AS target_task
FROM memories AS s JOIN memories AS t ON t.id = s.supersedes AND t.account = s.account
WHERE +s.account = :account AND s.supersedes IS NOT NULL AND :ids IS NOT NULL

-- tags_of: The tags of some rows (a JSON list).
SELECT row, tag FROM tags WHERE row IN (SELECT value FROM json_each(:rows)) AND +account = :account ORDER BY row, tag

-- tag_members: The newest rows of a tag; few of them, so that a hub cannot flood.
SELECT row FROM tags WHERE account = :account AND tag = :tag ORDER BY row DESC LIMIT :limit

-- touch: Count accesses; not an event, a recall must not make the journal grow.
UPDATE memories SET access_count = access_count + :count, accessed_at = max(accessed_at, :at) WHERE row = :row AND +account = :account

-- unembedded: Rows without a vector of the model in use.
SELECT m.* FROM memories AS m LEFT JOIN vectors AS v ON v.row = m.row AND v.model = :model
WHERE m.account = :account AND v.row IS NULL ORDER BY m.row LIMIT :limit

-- count_unembedded: How many of those there are.
SELECT count(*) FROM memories AS m LEFT JOIN vectors AS v ON v.row = m.row AND v.model = :model
WHERE m.account = :account AND v.row IS NULL

-- count_models: How many vectors each model made.
SELECT v.model, count(*) FROM vectors AS v JOIN memories AS m ON m.row = v.row WHERE m.account = :account GROUP BY v.model

-- count_statuses: Memories by stored status.
SELECT status, count(*) FROM memories WHERE account = :account GROUP BY status

-- count_types: Memories by type.
SELECT type, count(*) FROM memories WHERE account = :account AND status = 'active' GROUP BY type

-- count_scopes: Memories by scope.
SELECT scope, count(*) FROM memories WHERE account = :account AND status = 'active' GROUP BY scope

-- count_projects: Memories by project.
SELECT project, count(*) FROM memories WHERE account = :account AND status = 'active' AND project IS NOT NULL
GROUP BY project ORDER BY count(*) DESC, project

-- count_tags: The tags most used.
SELECT tag, count(*) FROM tags WHERE account = :account GROUP BY tag ORDER BY count(*) DESC, tag LIMIT 20

-- count_events: The length of the journal.
SELECT count(*) FROM events WHERE account = :account

-- switched_off: Projects for which memory is off.
SELECT project FROM switches WHERE account = :account

-- switch_off: Nothing is stored or recalled here.
INSERT OR IGNORE INTO switches (account, project) VALUES (:account, :project)

-- switch_on: Record works here again.
DELETE FROM switches WHERE account = :account AND project = :project

-- undone: Which operations (a JSON list of hexadecimal ids) were undone by a later one.
SELECT DISTINCT undoes FROM events WHERE +account = :account AND undoes IS NOT NULL AND undoes IN (SELECT id_bytes(value) FROM json_each(:ids))

-- vectors_of: The vectors of some memories (a JSON list of hexadecimal ids).
SELECT m.id AS id, v.vector AS vector FROM memories AS m JOIN vectors AS v ON v.row = m.row AND v.model = :model
WHERE +m.account = :account AND m.id IN (SELECT id_bytes(value) FROM json_each(:ids))

-- touched_since: Accesses counted after a moment; a snapshot of the index is behind on them.
SELECT row, access_count, accessed_at FROM memories WHERE account = :account AND accessed_at > :since

-- purged_since: Whether anything was purged after a sequence number.
SELECT 1 FROM events NOT INDEXED WHERE seq > :seq AND kind = 'purge' AND account = :account LIMIT 1
