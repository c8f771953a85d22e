-- Every query of the embedded back end, by name. A `+` before account keeps the planner from walking the whole account.
-- `-- name: purpose` starts one; `{name}` stands for an earlier one; values are bound, never formatted.

-- get_note: One note of the store.
SELECT value FROM notes WHERE name = :name

-- set_note: Write one note.
INSERT INTO notes (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value

-- find_account: The number of an account.
SELECT account FROM accounts WHERE name = :name

-- add_account: Make an account known.
INSERT INTO accounts (name) VALUES (:name)

-- position: Where the journal stands, and how often accesses were counted.
SELECT (SELECT seq FROM events ORDER BY seq DESC LIMIT 1), (SELECT CAST(value AS INTEGER) FROM notes WHERE name = 'touches')

-- memory: What a memory is read from; its season, like all that few memories have, is in `more`.
m.row, m.id, m.content, m.type, m.scope, m.agent, m.team, m.project, m.session, m.task, m.user, m.importance, m.weight, m.confidence,
m.trust, m.score, m.strength, m.access_count, m.created_at, m.updated_at, m.accessed_at, m.hit_at, m.valid_from, m.valid_until,
m.expires_at, m.delivery, m.status, m.supersedes, m.source, m.position, m.speaker, m.occurred_at, NULL AS season, m.tags, m.more, m.key

-- insert_memory: A new row.
INSERT INTO memories (
    id, account, content, digest, type, scope, agent, team, project, session, task, user, importance, weight, confidence, trust,
    score, strength, access_count, created_at, updated_at, accessed_at, hit_at, valid_from, valid_until, expires_at,
    delivery, status, supersedes, source, position, speaker, occurred_at, tags, more, key, checksum)
VALUES (
    :id, :account, :content, :digest, :type, :scope, :agent, :team, :project, :session, :task, :user, :importance, :weight, :confidence, :trust,
    :score, :strength, :access_count, :created_at, :updated_at, :accessed_at, :hit_at, :valid_from, :valid_until, :expires_at,
    :delivery, :status, :supersedes, :source, :position, :speaker, :occurred_at, :tags, :more, :key,
    :checksum + 1000003 * :access_count + :accessed_at)

-- update_memory: Every field of a row but its counters and its identity.
UPDATE memories SET
    content = :content, digest = :digest, type = :type, scope = :scope, agent = :agent, team = :team, project = :project,
    session = :session, task = :task, user = :user, importance = :importance, weight = :weight, confidence = :confidence, trust = :trust,
    score = :score, strength = :strength, updated_at = :updated_at, hit_at = :hit_at, valid_from = :valid_from,
    valid_until = :valid_until, expires_at = :expires_at, delivery = :delivery, status = :status, supersedes = :supersedes,
    source = :source, position = :position, speaker = :speaker, occurred_at = :occurred_at, tags = :tags, more = :more, key = :key,
    checksum = :checksum + 1000003 * access_count + accessed_at + 7919 * coalesce(touched, 0)
WHERE id = :id AND +account = :account

-- delete_memory: Take a row out; its tags and vector go with it.
DELETE FROM memories WHERE id = :id AND +account = :account

-- row_of: The row number of a memory.
SELECT row FROM memories WHERE id = :id AND +account = :account

-- get_memories: Rows by id (a JSON list of hexadecimal ids).
SELECT {memory} FROM memories AS m WHERE +m.account = :account AND m.id IN (SELECT id_bytes(value) FROM json_each(:ids))

-- fetch_rows: Rows by number (a JSON list).
SELECT {memory} FROM memories AS m WHERE +m.account = :account AND m.row IN (SELECT value FROM json_each(:rows))

-- glimpse_row: What a row says.
SELECT row, id, content FROM memories WHERE row = :row AND +account = :account

-- find_memories: The head of a list; the filter compiler writes its conditions.
SELECT {memory} FROM memories AS m WHERE

-- count_memories: The head of a count; the filter compiler writes its conditions.
SELECT count(*) FROM memories AS m WHERE

-- page: The end of a list.
AND m.row < :before ORDER BY m.row DESC LIMIT :limit

-- count_tags: The head of a count of tags; the filter compiler writes its conditions.
SELECT t.tag, count(*) FROM tags AS t JOIN memories AS m ON m.row = t.row WHERE t.account = :account AND

-- by_tag: The end of a count of tags.
GROUP BY t.tag ORDER BY count(*) DESC, t.tag

-- add_tag: One tag of one row.
INSERT OR IGNORE INTO tags (account, tag, row) VALUES (:account, :tag, :row)

-- drop_tags: All tags of one row.
DELETE FROM tags WHERE row = :row

-- add_metadata: One value at one path of the metadata of one row.
INSERT INTO metadata (account, path, value, row) VALUES (:account, :path, :value, :row)

-- drop_metadata: All of them.
DELETE FROM metadata WHERE row = :row

-- last_row_of: The row that the journal tells of a memory, also of one that is gone.
SELECT max(row) AS row FROM events WHERE memory = :memory AND +account = :account AND document IS NULL

-- tagged: The rows from a number on that carry a tag.
SELECT row FROM tags WHERE account = :account AND tag = :tag AND row >= :first

-- with_values: The rows from a number on with one of some values at a path of their metadata.
SELECT DISTINCT row FROM metadata
WHERE account = :account AND path = :path AND value IN (SELECT value FROM json_each(:values)) AND row >= :first

-- with_span: The rows from a number on with a value at a path of their metadata, from one text to before another.
SELECT DISTINCT row FROM metadata
WHERE account = :account AND path = :path AND value >= :least AND value < :below AND row >= :first

-- put_vector: The vectors of one row; those of another model are replaced.
INSERT INTO vectors (row, model, vector) VALUES (:row, :model, :vector)
ON CONFLICT (row) DO UPDATE SET model = excluded.model, vector = excluded.vector

-- drop_vector: A row without a vector is found by its words alone.
DELETE FROM vectors WHERE row = :row

-- add_event: One line of the journal.
INSERT INTO events (account, operation, at, actor, kind, memory, row, before, after, reason, undoes, document, origin)
VALUES (:account, :operation, :at, :actor, :kind, :memory, :row, :before, :after, :reason, :undoes, :document, :origin)

-- find_events: The head of a part of the journal; the reader writes its conditions.
SELECT seq, operation, at, actor, kind, memory, before, after, reason, undoes, document, origin FROM events WHERE

-- find_event_numbers: The numbers of the same part, in the same order.
SELECT seq FROM events WHERE

-- all_events: The journal of every account.
SELECT seq, operation, at, actor, kind, memory, before, after, reason, undoes, document, origin FROM events

-- scrub_events: A purged memory leaves the skeleton of its journal, no images.
UPDATE events SET before = NULL, after = NULL, reason = NULL WHERE memory = :memory AND +account = :account

-- rewrite_event: An event without a purged text.
UPDATE events SET before = :before, after = :after, reason = :reason WHERE seq = :seq AND account = :account

-- memories_mentioning: Memories with one of some words, given in lower case, in any field that a person or an agent wrote.
SELECT {memory} FROM memories AS m WHERE m.account = :account AND EXISTS (SELECT 1 FROM json_each(:words) AS w WHERE instr(lower(
    m.content || char(10) || m.tags || char(10) || coalesce(m.more, '') || char(10) || coalesce(m.key, '') || char(10)
    || coalesce(m.session, '') || char(10) || coalesce(m.user, '') || char(10) || coalesce(m.task, '') || char(10) || coalesce(m.project, '') || char(10)
    || coalesce(m.speaker, '')), w.value) > 0)
ORDER BY m.row

-- events_mentioning: Events with one of some words in an image or in the reason, and all events of gaps and of one memory.
SELECT seq, operation, at, actor, kind, memory, before, after, reason, undoes, document, origin FROM events
WHERE account = :account AND coalesce(before, after, reason) IS NOT NULL
AND (document = 'gap' OR memory = :memory OR EXISTS (SELECT 1 FROM json_each(:words) AS w WHERE instr(lower(
    coalesce(before, '') || char(10) || coalesce(after, '') || char(10) || coalesce(reason, '')), w.value) > 0))
ORDER BY seq

-- last_event: The number of the newest event.
SELECT coalesce(max(seq), 0) FROM events WHERE account = :account

-- changed_since: Which memories the journal touched after a sequence number.
SELECT memory, row FROM events NOT INDEXED WHERE seq > :seq AND account = :account AND document IS NULL

-- all_entries: Every row of an account with its vector, for a rebuild.
SELECT {memory}, v.vector AS vector, s.row AS supersedes_row FROM memories AS m
LEFT JOIN vectors AS v ON v.row = m.row AND v.model = :model
LEFT JOIN memories AS s ON s.id = m.supersedes
WHERE m.account = :account ORDER BY m.row

-- some_entries: The same for some ids (a JSON list of hexadecimal ids) and for whatever supersedes them.
SELECT {memory}, v.vector AS vector, s.row AS supersedes_row FROM memories AS m
LEFT JOIN vectors AS v ON v.row = m.row AND v.model = :model
LEFT JOIN memories AS s ON s.id = m.supersedes
WHERE +m.account = :account AND m.row IN (
    SELECT row FROM memories WHERE id IN (SELECT id_bytes(value) FROM json_each(:ids))
    UNION SELECT row FROM memories WHERE account = :account AND supersedes IS NOT NULL AND supersedes IN (SELECT id_bytes(value) FROM json_each(:ids)))
ORDER BY m.row

-- by_digest: Memories with exactly this normalised text.
SELECT {memory} FROM memories AS m WHERE m.account = :account AND m.digest = :digest ORDER BY m.row

-- has_tombstones: Whether anything of an account is forgotten or was purged.
SELECT EXISTS (SELECT 1 FROM purged WHERE account = :account)
    OR EXISTS (SELECT 1 FROM memories WHERE account = :account AND status = 'forgotten')

-- purged_places: Where this text was erased for good.
SELECT place FROM purged WHERE account = :account AND digest = :digest

-- add_purged: The keyed hash is all that stays of a purged text.
INSERT OR IGNORE INTO purged (account, digest, place) VALUES (:account, :digest, :place)

-- drop_purged: A person's explicit wish brings a purged text back.
DELETE FROM purged WHERE account = :account AND digest = :digest AND place = :place

-- by_key: The memories stored under an idempotency key.
SELECT {memory} FROM memories AS m WHERE m.account = :account AND m.key = :key ORDER BY m.row

-- id_prefix: Ids between two bounds.
SELECT id FROM memories WHERE +account = :account AND id >= :first AND id <= :last LIMIT 20

-- id_suffix: Ids by their last hexadecimal digits, of which `:ending` are the last four, as two bytes.
SELECT id FROM memories WHERE substr(id, 15) = :ending AND +account = :account AND lower(hex(id)) LIKE '%' || :suffix LIMIT 20

-- replacements: Who supersedes these memories (a JSON list of hexadecimal ids), and where those live.
SELECT {memory}, t.scope AS target_scope, t.agent AS target_agent, t.team AS target_team,
       t.project AS target_project, t.session AS target_session, t.task AS target_task, t.user AS target_user
FROM memories AS m JOIN memories AS t ON t.id = m.supersedes AND +t.account = m.account
WHERE m.account = :account AND m.supersedes IS NOT NULL AND m.supersedes IN (SELECT id_bytes(value) FROM json_each(:ids))

-- any_superseded: Whether anything supersedes one of some memories (a JSON list of ids).
SELECT 1 FROM json_each(:ids) AS wanted
CROSS JOIN memories AS m INDEXED BY memories_supersedes ON m.account = :account AND m.supersedes = id_bytes(wanted.value) LIMIT 1

-- all_replacements: The same for the whole account (`:ids` is not used).
SELECT {memory}, t.scope AS target_scope, t.agent AS target_agent, t.team AS target_team,
       t.project AS target_project, t.session AS target_session, t.task AS target_task, t.user AS target_user
FROM memories AS m INDEXED BY memories_supersedes CROSS JOIN memories AS t ON t.id = m.supersedes AND +t.account = m.account
WHERE m.account = :account AND m.supersedes IS NOT NULL AND :ids IS NOT NULL

-- tag_steps: The tags of some rows (a JSON list).
SELECT row, tag FROM tags WHERE row IN (SELECT value FROM json_each(:rows)) AND +account = :account ORDER BY row, tag

-- tag_members: The newest rows of a tag; few of them, so that a hub cannot flood.
SELECT row FROM tags WHERE account = :account AND tag = :tag ORDER BY row DESC LIMIT :limit

-- tag_names: Every tag of an account.
SELECT DISTINCT tag FROM tags WHERE account = :account ORDER BY tag

-- cluster_steps: The clusters of some rows (a JSON list).
SELECT m.row AS row, c.id AS id FROM members AS m JOIN clusters AS c ON c.cluster = m.cluster
WHERE m.row IN (SELECT value FROM json_each(:rows)) AND +c.account = :account AND c.model = :model ORDER BY m.row

-- cluster_members: The newest rows of a cluster.
SELECT row FROM members WHERE cluster = (SELECT cluster FROM clusters WHERE id = :id AND account = :account)
ORDER BY row DESC LIMIT :limit

-- links_from: Where links of some rows (a JSON list) lead.
SELECT l.source AS source, t.row AS target, l.relation AS relation, l.weight AS weight
FROM links AS l JOIN memories AS t ON t.id = l.target AND +t.account = :account
WHERE l.source IN (SELECT value FROM json_each(:rows))

-- links_to: The strongest and newest links that lead to one row; one row per query, so that a hub is read no further.
SELECT :row AS source, l.source AS target, l.relation AS relation, l.weight AS weight
FROM links AS l JOIN memories AS s ON s.row = l.source AND +s.account = :account
WHERE l.target = (SELECT id FROM memories WHERE row = :row AND +account = :account)
ORDER BY l.weight DESC, l.source DESC LIMIT :limit

-- supersedes_from: What some rows (a JSON list) supersede.
SELECT m.row AS source, t.row AS target FROM memories AS m JOIN memories AS t ON t.id = m.supersedes
WHERE m.row IN (SELECT value FROM json_each(:rows)) AND +m.account = :account AND m.supersedes IS NOT NULL

-- supersedes_to: What supersedes some rows (a JSON list).
SELECT m.row AS source, s.row AS target FROM memories AS m JOIN memories AS s ON s.account = m.account AND s.supersedes = m.id
WHERE m.row IN (SELECT value FROM json_each(:rows)) AND +m.account = :account

-- add_link: One link of one row.
INSERT INTO links (source, relation, target, weight) VALUES (:source, :relation, :target, :weight)

-- drop_links: All links of one row.
DELETE FROM links WHERE source = :row

-- add_trigger: One trigger pattern of one row.
INSERT OR IGNORE INTO triggers (account, row, pattern) VALUES (:account, :row, :pattern)

-- drop_triggers: All trigger patterns of one row.
DELETE FROM triggers WHERE account = :account AND row = :row

-- all_triggers: Every trigger pattern of an account.
SELECT row, pattern FROM triggers WHERE account = :account ORDER BY row, pattern

-- clusters_of: The clusters of a model, the largest first.
SELECT c.id, c.name, c.centroid, c.radius, c.made_at, c.scope, c.room, (
    SELECT count(*) FROM members AS m JOIN memories AS r ON r.row = m.row WHERE m.cluster = c.cluster AND r.status = 'active'
) AS size, c.model FROM clusters AS c
WHERE c.account = :account AND c.model = :model ORDER BY size DESC, c.cluster

-- put_cluster: A new cluster, or a new form of a known one.
INSERT INTO clusters (id, account, scope, room, name, model, centroid, radius, made_at)
VALUES (:id, :account, :scope, :room, :name, :model, :centroid, :radius, :made_at)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, model = excluded.model, centroid = excluded.centroid,
    radius = excluded.radius, made_at = excluded.made_at
WHERE clusters.account = excluded.account

-- clear_cluster: A cluster without its members.
DELETE FROM members WHERE cluster = (SELECT cluster FROM clusters WHERE id = :id AND account = :account)

-- drop_cluster: A cluster and who belongs to it.
DELETE FROM clusters WHERE id = :id AND account = :account

-- cluster_of: The cluster a row belongs to.
SELECT c.id AS id FROM members AS m JOIN clusters AS c ON c.cluster = m.cluster WHERE m.row = :row

-- join_cluster: A row belongs to one cluster; a row that is gone by now to none.
INSERT INTO members (row, cluster) SELECT :row, cluster FROM clusters WHERE id = :id AND account = :account
AND EXISTS (SELECT 1 FROM memories WHERE row = :row)
ON CONFLICT (row) DO UPDATE SET cluster = excluded.cluster

-- leave_cluster: A row belongs to no cluster.
DELETE FROM members WHERE row = :row

-- document: What a document is read from.
id, kind, name, scope, room, project, body, created_at, updated_at

-- put_document: A new document, or a new form of a known one.
INSERT INTO documents (id, account, kind, name, scope, room, project, body, created_at, updated_at)
VALUES (:id, :account, :kind, :name, :scope, :room, :project, :body, :created_at, :updated_at)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, scope = excluded.scope, room = excluded.room,
    project = excluded.project, body = excluded.body, updated_at = excluded.updated_at
WHERE documents.account = excluded.account

-- drop_document: A document.
DELETE FROM documents WHERE id = :id AND account = :account

-- find_documents: The documents of a kind.
SELECT {document} FROM documents WHERE account = :account AND kind = :kind ORDER BY id

-- named_documents: The documents of a kind and a name, one per place.
SELECT {document} FROM documents WHERE account = :account AND kind = :kind AND name = :name ORDER BY id

-- prefixed_documents: The documents of a kind whose names lie between two bounds.
SELECT {document} FROM documents WHERE account = :account AND kind = :kind AND name >= :low AND name < :high ORDER BY name, id

-- documents_mentioning: Documents with one of some words in their name or body, all gaps and all contexts.
SELECT {document} FROM documents WHERE account = :account AND (kind IN ('gap', 'context')
    OR EXISTS (SELECT 1 FROM json_each(:words) AS w WHERE instr(lower(name || char(10) || body), w.value) > 0))
ORDER BY id

-- log_access: One reading or writing of a context.
INSERT INTO accesses (account, document, at, agent, action, memory) VALUES (:account, :document, :at, :agent, :action, :memory)

-- accesses_of: The latest readings and writings of a context.
SELECT at, agent, action, memory FROM accesses WHERE account = :account AND document = :document ORDER BY rowid DESC LIMIT :limit

-- touch: Count accesses; not an event, a recall must not make the journal grow.
UPDATE memories SET access_count = access_count + :count, accessed_at = max(accessed_at, :at), touched = :number,
    checksum = checksum + 1000003 * :count + max(accessed_at, :at) - accessed_at + 7919 * (:number - coalesce(touched, 0))
WHERE row = :row AND +account = :account

-- unembedded: Rows without a vector of the model in use.
SELECT {memory} FROM memories AS m LEFT JOIN vectors AS v ON v.row = m.row AND v.model = :model
WHERE m.account = :account AND v.row IS NULL ORDER BY m.row LIMIT :limit

-- switched_off: Projects for which memory is off.
SELECT project FROM switches WHERE account = :account

-- switch_off: Nothing is stored or recalled here.
INSERT OR IGNORE INTO switches (account, project) VALUES (:account, :project)

-- switch_on: Memory works here again.
DELETE FROM switches WHERE account = :account AND project = :project

-- undone: Which operations (a JSON list of hexadecimal ids) were undone by a later one.
SELECT DISTINCT undoes FROM events WHERE +account = :account AND undoes IS NOT NULL AND undoes IN (SELECT id_bytes(value) FROM json_each(:ids))

-- vectors_of: The vectors of some memories (a JSON list of hexadecimal ids).
SELECT m.id AS id, v.vector AS vector FROM memories AS m JOIN vectors AS v ON v.row = m.row AND v.model = :model
WHERE +m.account = :account AND m.id IN (SELECT id_bytes(value) FROM json_each(:ids))

-- touched_since: What accesses were counted to since a number.
SELECT row, access_count, accessed_at FROM memories WHERE touched > :since AND +account = :account

-- purged_since: Whether anything was purged after a sequence number.
SELECT 1 FROM events NOT INDEXED WHERE seq > :seq AND kind = 'purge' AND account = :account AND document IS NULL LIMIT 1

-- all_accounts: Every account that has anything, by name.
SELECT name FROM accounts WHERE account IN (
    SELECT account FROM memories UNION SELECT account FROM documents UNION SELECT account FROM purged
    UNION SELECT account FROM switches UNION SELECT account FROM events) ORDER BY name

-- walk_memories: The rows of an account in their order, each with its vector, of whatever model, and its cluster.
SELECT {memory}, v.model AS model, v.vector AS vector, c.id AS cluster FROM memories AS m
LEFT JOIN vectors AS v ON v.row = m.row
LEFT JOIN members AS b ON b.row = m.row
LEFT JOIN clusters AS c ON c.cluster = b.cluster
WHERE m.row > :after AND +m.account = :account ORDER BY m.row LIMIT :limit

-- shortest_vector: How long the vectors of a model are at least.
SELECT min(length(vector)) AS bytes FROM vectors WHERE model = :model

-- all_clusters: The clusters of every model; nobody asks for their size.
SELECT c.id, c.name, c.centroid, c.radius, c.made_at, c.scope, c.room, 0, c.model FROM clusters AS c WHERE c.account = :account ORDER BY c.id

-- all_purged: The keyed hashes of what was purged.
SELECT digest, place FROM purged WHERE account = :account

-- holds_nothing: Whether nothing was ever stored under the secret of this file.
SELECT NOT EXISTS (SELECT 1 FROM memories) AND NOT EXISTS (SELECT 1 FROM purged) AS empty

-- count_kinds: How many memories of each kind; the filter compiler says what is reached.
SELECT m.status, m.type, m.scope, m.name, sum(m.number) FROM counts AS m
WHERE m.account = :account AND m.what = 'memory' AND {reached} GROUP BY 1, 2, 3, 4

-- count_replaced: How many of them something in force supersedes.
SELECT count(*) FROM memories AS m
WHERE m.id IN (SELECT id_bytes(value) FROM json_each(:replaced)) AND m.status = 'active' AND +m.account = :account AND {reached}

-- count_names: How many of each tag, model or event (without a name).
SELECT m.name, sum(m.number) FROM counts AS m
WHERE m.account = :account AND m.what = :what AND {reached} GROUP BY 1 ORDER BY 2 DESC, 1

-- removals_of: The events that removed or purged some memories, oldest first.
SELECT seq, operation, at, actor, kind, memory, before, after, reason, undoes, document, origin FROM events
WHERE memory IN (SELECT id_bytes(value) FROM json_each(:ids)) AND +account = :account
AND (kind = 'purge' OR after IS NULL) ORDER BY seq

-- operations_like: Operations whose id begins or ends with some hexadecimal digits, of which `:ending` are the last four.
SELECT operation FROM events WHERE operation >= :first AND operation <= :last AND +account = :account
UNION
SELECT operation FROM events
WHERE substr(operation, 15) = :ending AND +account = :account AND lower(hex(operation)) LIKE '%' || :suffix
LIMIT :limit

-- operations_short: The same for fewer than four digits, which no index has.
SELECT DISTINCT operation FROM events WHERE account = :account
AND (lower(hex(operation)) LIKE :suffix || '%' OR lower(hex(operation)) LIKE '%' || :suffix) LIMIT :limit

-- documents_by_id: Documents of whatever kind, by id.
SELECT {document} FROM documents WHERE id IN (SELECT id_bytes(value) FROM json_each(:ids)) AND account = :account ORDER BY id

-- linked_by: The memories that have a link of one relation, newest first.
SELECT DISTINCT m.row, m.id FROM links AS l JOIN memories AS m ON m.row = l.source
WHERE l.relation = :relation AND +m.account = :account ORDER BY l.source DESC

-- now: The present time of SQLite's clock.
CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)

-- take_lease: A piece of work is the holder's until a moment, unless somebody else has it.
INSERT INTO leases (account, work, holder, until)
VALUES (:account, :work, :holder, {now} + CAST(:seconds * 1000000 AS INTEGER))
ON CONFLICT (account, work) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE leases.holder = excluded.holder OR leases.until <= {now}
RETURNING until

-- drop_lease: The work is done.
DELETE FROM leases WHERE account = :account AND work = :work AND holder = :holder RETURNING until

-- places_of: Where some memories live.
SELECT id, scope, agent, team, user, project, session, task FROM memories
WHERE id IN (SELECT id_bytes(value) FROM json_each(:ids)) AND +account = :account

-- whole_rows: Every memory with all its columns, to find damage.
SELECT {memory}, m.account, m.digest, m.touched, m.checksum,
    m.checksum - 1000003 * m.access_count - m.accessed_at - 7919 * coalesce(m.touched, 0) AS expected FROM memories AS m

-- all_vectors: The vectors of every memory, to find damage.
SELECT row, vector FROM vectors

-- invalid_json: Documents whose JSON is broken.
SELECT 'document', hex(id) FROM documents WHERE NOT json_valid(body)
