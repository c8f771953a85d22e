-- The queries of the server back end that store, read and count, by name; those that search are in search.sql.
-- `-- name: purpose` starts one; `{name}` stands for an earlier one; values are bound, never formatted.

-- begin_view: One moment for several reads.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- begin_transaction: With the lock of the account, every statement sees what the transactions before it committed.
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE

-- account: An account's name and state, and the projects that are switched off.
SELECT a.name, a.seq, a.clusters, a.held, a.replacing, ARRAY(SELECT s.project FROM switches AS s WHERE s.account_id = %(account_id)s),
       EXISTS (SELECT FROM purged AS p WHERE p.account_id = %(account_id)s),
       EXISTS (SELECT FROM tallies AS t WHERE t.account_id = %(account_id)s AND t.kind = 'status' AND t.name = 'forgotten'),
       EXISTS (SELECT FROM documents AS d WHERE d.account_id = %(account_id)s AND d.kind = 'gap'),
       EXISTS (SELECT FROM triggers AS g WHERE g.account_id = %(account_id)s)
FROM accounts AS a WHERE a.account_id = %(account_id)s

-- secrets: The keys of the hashes of an account's texts: the one in use, and those of stores that were brought in.
SELECT name, value FROM notes WHERE account_id = %(account_id)s AND name IN ('secret', 'former_secrets')

-- lock_account: One writer per account at a time; and a number for its first new row.
SELECT pg_advisory_xact_lock(%(lock)s) IS NOT NULL, nextval('memory_rows')

-- try_lock_account: The same without waiting.
SELECT pg_try_advisory_xact_lock(%(lock)s), nextval('memory_rows')

-- more_rows: Numbers for further rows.
SELECT nextval('memory_rows') FROM generate_series(1, %(count)s)

-- may_see_all: Whether the login role may read every account.
SELECT s.rolsuper OR s.rolbypassrls OR pg_has_role(session_user, c.relowner, 'USAGE')
FROM pg_roles AS s, pg_class AS c WHERE s.rolname = session_user AND c.oid = 'accounts'::regclass

-- set_role: Under row-level security again.
SELECT set_config('role', %(role)s, true)

-- all_accounts: Every account that has anything.
SELECT name FROM accounts ORDER BY name COLLATE "C"

-- has_no_texts: Whether nothing was stored under the key of an account.
SELECT NOT EXISTS (SELECT FROM memories WHERE account_id = %(account_id)s)
   AND NOT EXISTS (SELECT FROM purged WHERE account_id = %(account_id)s)

-- add_account: Make an account known.
INSERT INTO accounts (account_id, name) VALUES (%(account_id)s, %(name)s) ON CONFLICT DO NOTHING

-- move_account: The journal of an account grew.
UPDATE accounts SET seq = currval('journal_seq') WHERE account_id = %(account_id)s

-- get_note: One note, of the store or of an account.
SELECT value FROM notes WHERE account_id = %(account_id)s AND name = %(name)s

-- change_clusters: The clusters of an account changed.
UPDATE accounts SET clusters = %(stamp)s WHERE account_id = %(account_id)s

-- set_note: Write one note.
INSERT INTO notes (account_id, name, value) VALUES (%(account_id)s, %(name)s, %(value)s)
ON CONFLICT (account_id, name) DO UPDATE SET value = excluded.value

-- memory: The columns of a memory.
m.row, m.id, m.content, m.type, m.scope, m.agent, m.team, m.project, m.session, m.task, m.user, m.importance, m.weight, m.confidence,
m.trust, m.score, m.strength, m.access_count, m.created_at, m.updated_at, m.accessed_at, m.hit_at, m.valid_from, m.valid_until,
m.expires_at, m.delivery, m.status, m.supersedes, m.source, m.position, m.speaker, m.occurred_at, m.season, m.tags, m.more, m.key

-- insert_memories: New rows, as JSON.
INSERT INTO memories (
    account_id, row, id, content, digest, type, scope, agent, team, project, session, task, "user", place, importance, weight,
    confidence, trust, score, strength, access_count, created_at, updated_at, accessed_at, hit_at, valid_from, valid_until,
    expires_at, delivery, status, supersedes, source, position, speaker, occurred_at, season, tags, more, key, standing, role, words, packed_words,
    facets)
SELECT
    account_id, row, id, content, digest, type, scope, agent, team, project, session, task, "user", place, importance, weight,
    confidence, trust, score, strength, access_count, created_at, updated_at, accessed_at, hit_at, valid_from, valid_until,
    expires_at, delivery, status, supersedes, source, position, speaker, occurred_at, season, tags, more, key, standing, role, words, packed_words,
    facets
FROM json_populate_recordset(NULL::memories, %(memories)s::json)

-- update_memory: Every field of a row but its counters and its identity.
UPDATE memories SET
    content = %(content)s, digest = %(digest)s, type = %(type)s, scope = %(scope)s, agent = %(agent)s, team = %(team)s,
    project = %(project)s, session = %(session)s, task = %(task)s, "user" = %(user)s, place = %(place)s, importance = %(importance)s,
    weight = %(weight)s, confidence = %(confidence)s, trust = %(trust)s, score = %(score)s, strength = %(strength)s,
    updated_at = %(updated_at)s, hit_at = %(hit_at)s, valid_from = %(valid_from)s, valid_until = %(valid_until)s,
    expires_at = %(expires_at)s, delivery = %(delivery)s, status = %(status)s, supersedes = %(supersedes)s, source = %(source)s,
    position = %(position)s, speaker = %(speaker)s, occurred_at = %(occurred_at)s, season = %(season)s, tags = %(tags)s,
    more = %(more)s, key = %(key)s, standing = %(standing)s, role = %(role)s, words = %(words)s,
    packed_words = %(packed_words)s, facets = %(facets)s
WHERE account_id = %(account_id)s AND row = %(row)s

-- delete_memory: Take a row out; its links and trigger patterns go with it, its tags and vectors are taken out beside it.
DELETE FROM memories WHERE account_id = %(account_id)s AND row = %(row)s

-- rows_of: The row numbers of some memories.
SELECT id, row FROM memories WHERE account_id = %(account_id)s AND id = ANY(%(ids)s::uuid[])

-- last_row_of: The row that the journal tells of a memory, also of one that is gone.
SELECT max(row) FROM events WHERE account_id = %(account_id)s AND memory = %(memory)s::uuid AND document IS NULL

-- get_memories: Rows by id.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND m.id = ANY(%(ids)s::uuid[])

-- fetch_rows: Rows by number.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND m.row = ANY(%(rows)s::bigint[])

-- find_memories: The head of a list; the filter compiler writes its conditions.
SELECT {memory} FROM memories AS m WHERE

-- count_memories: The head of a count; the filter compiler writes its conditions.
SELECT count(*) FROM memories AS m WHERE

-- page: The end of a list.
AND m.row < %(before)s ORDER BY m.row DESC LIMIT %(limit)s

-- count_tags: The head of a count of tags; the filter compiler writes its conditions.
SELECT t.tag, count(*) FROM tags AS t JOIN memories AS m ON m.account_id = t.account_id AND m.row = t.row
WHERE t.account_id = %(account_id)s AND

-- by_tag: The end of a count of tags.
GROUP BY t.tag ORDER BY count(*) DESC, t.tag COLLATE "C"

-- by_digest: Memories with exactly this normalised text.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND m.digest = %(digest)s ORDER BY m.row

-- by_digests: Memories with exactly these normalised texts.
SELECT {memory}, m.digest FROM memories AS m WHERE m.account_id = %(account_id)s AND m.digest = ANY (%(digests)s::bytea[]) ORDER BY m.row

-- by_key: The memories stored under an idempotency key.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND m.key = %(key)s ORDER BY m.row

-- ids_given: Ids as they are given.
SELECT u.id FROM unnest(%(ids)s::uuid[]) AS u (id)

-- ids_by_digest: The ids of the memories with exactly these normalised texts.
SELECT d.id FROM memories AS d WHERE d.account_id = %(account_id)s AND d.digest = ANY (%(digests)s::bytea[])

-- ids_by_key: The ids of the memories stored under an idempotency key.
SELECT k.id FROM memories AS k WHERE k.account_id = %(account_id)s AND k.key = %(key)s

-- ids_like: The ids that begin with some hexadecimal digits or, when none does, that end with them.
(WITH begins AS MATERIALIZED (SELECT b.id FROM memories AS b
     WHERE b.account_id = %(account_id)s AND b.id >= %(low)s::uuid AND b.id <= %(high)s::uuid LIMIT 20),
ends AS (SELECT e.id FROM memories AS e WHERE NOT EXISTS (SELECT FROM begins) AND e.account_id = %(account_id)s
     AND e.id_tail >= %(tail)s AND e.id_tail < %(tail_end)s
     AND right(replace(e.id::text, '-', ''), length(%(suffix)s::text)) = %(suffix)s::text LIMIT 20)
SELECT id FROM begins UNION ALL SELECT id FROM ends)

-- memories_like: The memories with those ids.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND m.id = ANY (ARRAY({ids_like})) ORDER BY m.id

-- places_of: Where some memories are; of those that are gone, the events that removed or purged them, oldest first.
SELECT m.id, m.place, NULL::text, NULL::text, NULL::text FROM memories AS m
WHERE m.account_id = %(account_id)s AND m.id = ANY (%(ids)s::uuid[])
UNION ALL
(SELECT e.memory, NULL, e.kind, e.before, e.after FROM events AS e
 WHERE e.account_id = %(account_id)s AND e.memory = ANY (%(ids)s::uuid[]) AND (e.kind = 'purge' OR e.after IS NULL)
   AND NOT EXISTS (SELECT FROM memories AS o WHERE o.account_id = %(account_id)s AND o.id = e.memory)
 ORDER BY e.seq)

-- insert_tags: The tags of new rows, as JSON.
INSERT INTO tags (account_id, tag, row) SELECT account_id, tag, row FROM json_populate_recordset(NULL::tags, %(tags)s::json)
ON CONFLICT DO NOTHING

-- drop_tags: All tags of one row.
DELETE FROM tags WHERE account_id = %(account_id)s AND row = %(row)s

-- insert_metadata: What new rows are filtered by, as JSON.
INSERT INTO metadata (account_id, path, value, row)
SELECT account_id, path, value, row FROM json_populate_recordset(NULL::metadata, %(metadata)s::json) ON CONFLICT DO NOTHING

-- drop_metadata: What one row is filtered by.
DELETE FROM metadata WHERE account_id = %(account_id)s AND row = %(row)s

-- insert_links: The links of new rows, as JSON.
INSERT INTO links (account_id, source, relation, target, weight)
SELECT account_id, source, relation, target, weight
FROM json_populate_recordset(NULL::links, %(links)s::json)

-- drop_links: All links of one row.
DELETE FROM links WHERE account_id = %(account_id)s AND source = %(row)s

-- insert_triggers: The trigger patterns of new rows, as JSON.
INSERT INTO triggers (account_id, row, pattern)
SELECT account_id, row, pattern FROM json_populate_recordset(NULL::triggers, %(triggers)s::json) ON CONFLICT DO NOTHING

-- drop_triggers: All trigger patterns of one row.
DELETE FROM triggers WHERE account_id = %(account_id)s AND row = %(row)s

-- insert_events: Lines of the journal, as JSON, in their order.
INSERT INTO events (account_id, operation, at, actor, kind, memory, row, before, after, reason, undoes, document, origin)
SELECT account_id, operation, at, actor, kind, memory, row, before, after, reason, undoes, document, origin
FROM json_populate_recordset(NULL::events, %(events)s::json)

-- insert_whole: New rows, their tags and their events in one statement.
WITH stored AS (
{insert_memories}
), tagged AS (
{insert_tags}
), told AS (
{insert_events}
RETURNING seq)
UPDATE accounts SET seq = coalesce((SELECT max(seq) FROM told), seq) WHERE account_id = %(account_id)s

-- room: The room that a memory is counted in: an agent's or a team's own, else one per scope.
CASE m.scope WHEN 'agent' THEN '["agent",' || to_json(coalesce(m.agent, '')) || ',' WHEN 'team' THEN '["team",' || to_json(coalesce(m.team, '')) || ','
             WHEN 'user' THEN '["user",' || to_json(coalesce(m.user, '')) || ','
             ELSE '["' || m.scope || '","",' END

-- replay_event: An event as it was, under a new number.
WITH told AS (
    INSERT INTO events (account_id, operation, at, actor, kind, memory, row, before, after, reason, undoes, document, origin)
    SELECT %(account_id)s, %(operation)s, %(at)s, %(actor)s, %(kind)s, %(memory)s, coalesce((
        SELECT row FROM memories WHERE account_id = %(account_id)s AND id = %(memory)s AND %(document)s::text IS NULL), 0),
        %(before)s, %(after)s, %(reason)s, %(undoes)s, %(document)s, %(origin)s
    RETURNING seq, memory, document),
moved AS (UPDATE accounts SET seq = (SELECT t.seq FROM told AS t) WHERE account_id = %(account_id)s),
counted AS (INSERT INTO tallies AS c (account_id, kind, name, room, held)
            SELECT %(account_id)s, 'event', '', {room}, 1 FROM told AS t JOIN memories AS m ON m.id = t.memory
            WHERE m.account_id = %(account_id)s AND t.document IS NULL
            ON CONFLICT (account_id, kind, name, room) DO UPDATE SET held = c.held + excluded.held)
SELECT t.seq FROM told AS t

-- scrub_events: A purged memory leaves the skeleton of its journal, no images.
UPDATE events SET before = NULL, after = NULL, reason = NULL WHERE account_id = %(account_id)s AND memory = %(memory)s

-- rewrite_event: An event without a purged text.
UPDATE events SET before = %(before)s, after = %(after)s, reason = %(reason)s WHERE account_id = %(account_id)s AND seq = %(seq)s

-- memories_mentioning: Memories with one of some words, given as patterns in lower case, in any field that somebody wrote.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND lower(concat_ws(E'\n',
    m.content, array_to_string(m.tags, E'\n'), m.more, m.key, m.session, m.task, m.user, m.project, m.speaker, m.season) COLLATE "C")
    LIKE ANY (%(words)s)
ORDER BY m.row

-- event: The columns of an event.
e.seq, e.operation, e.at, e.actor, e.kind, e.memory, e.before, e.after, e.reason, e.undoes, e.document, e.origin

-- events_mentioning: Events with one of some words in an image or in the reason, and all events of gaps and of one memory.
SELECT {event} FROM events AS e
WHERE e.account_id = %(account_id)s AND coalesce(e.before, e.after, e.reason) IS NOT NULL
AND (e.document = 'gap' OR e.memory = %(memory)s
     OR lower(concat_ws(E'\n', e.before, e.after, e.reason) COLLATE "C") LIKE ANY (%(words)s))
ORDER BY e.seq

-- last_event: The number of the newest event.
SELECT coalesce(max(e.seq), 0) FROM events AS e WHERE e.account_id = %(account_id)s

-- find_events: Events between two numbers; conditions and order follow.
SELECT {event} FROM events AS e WHERE e.account_id = %(account_id)s AND e.seq > %(after)s AND e.seq < %(before)s
AND e.at > %(since)s AND (%(embeds)s OR e.kind <> 'embed')

-- events_of_memory: Those of one memory or document.
AND e.memory = %(memory)s::uuid

-- events_of_operation: Those of one operation.
AND e.operation = %(operation)s::uuid

-- oldest_events: From the first on.
ORDER BY e.seq LIMIT %(limit)s

-- newest_events: From the last on.
ORDER BY e.seq DESC LIMIT %(limit)s

-- can_be_undone: Whether an event is of an operation that can be undone, all of whose events are below a number. OFFSET 0 keeps the
-- planner from joining the whole journal: it is asked event by event, newest first, until enough are found.
e.account_id = %(account_id)s AND e.seq < %(before)s AND e.kind <> ALL (%(kinds)s) AND e.undoes IS NULL
AND NOT EXISTS (SELECT FROM events AS u WHERE u.account_id = %(account_id)s AND u.undoes = e.operation OFFSET 0)
AND (SELECT max(l.seq) FROM events AS l WHERE l.account_id = %(account_id)s AND l.operation = e.operation) < %(before)s
AND (%(actor)s::text IS NULL OR e.actor = %(actor)s::text AND e.origin IN ('person', 'agent'))

-- latest_operations: The events of the newest operations that can be undone. Each step looks for the newest event of another one.
WITH RECURSIVE found AS (
    (SELECT 1 AS place, e.seq, e.operation, ARRAY[e.operation] AS known FROM events AS e WHERE {can_be_undone}
     ORDER BY e.seq DESC LIMIT 1)
    UNION ALL
    SELECT f.place + 1, n.seq, n.operation, f.known || n.operation FROM found AS f CROSS JOIN LATERAL (
        SELECT e.seq, e.operation FROM events AS e WHERE {can_be_undone} AND e.seq < f.seq AND e.operation <> ALL (f.known)
        ORDER BY e.seq DESC LIMIT 1) AS n
    WHERE f.place < %(limit)s)
SELECT {event} FROM events AS e
WHERE e.account_id = %(account_id)s AND e.operation = ANY (ARRAY(SELECT f.operation FROM found AS f WHERE f.place <= %(limit)s))
ORDER BY array_position(ARRAY(SELECT f.operation FROM found AS f ORDER BY f.place), e.operation), e.seq

-- events_of_operations: The events of the operations {asked} selects.
SELECT {event} FROM events AS e WHERE e.account_id = %(account_id)s AND e.operation = ANY (ARRAY({asked})) AND e.kind <> 'embed' ORDER BY e.seq

-- undone: Which operations were undone by a later one.
SELECT DISTINCT undoes FROM events WHERE account_id = %(account_id)s AND undoes IS NOT NULL AND undoes = ANY(%(ids)s::uuid[])

-- undone_among: Those of the operations {asked} selects that a later one has undone.
SELECT DISTINCT e.undoes FROM events AS e WHERE e.account_id = %(account_id)s AND e.undoes IS NOT NULL AND e.undoes = ANY (ARRAY({asked}))

-- purged_among: Those of some digests whose text was erased for good, and where.
SELECT digest, place FROM purged WHERE account_id = %(account_id)s AND digest = ANY(%(all)s::bytea[])

-- add_purged: The keyed hash is all that stays of a purged text.
INSERT INTO purged (account_id, digest, place)
SELECT %(account_id)s, digest, place FROM unnest(%(digests)s::bytea[], %(places)s::text[]) AS given (digest, place) ON CONFLICT DO NOTHING

-- drop_purged: A person's explicit wish brings a purged text back.
DELETE FROM purged WHERE account_id = %(account_id)s AND digest = ANY(%(digests)s::bytea[]) AND place = ANY(%(places)s::text[])

-- purged_digests: All of them.
SELECT digest, place FROM purged WHERE account_id = %(account_id)s

-- touch: Count accesses; not an event, a recall must not make the journal grow.
UPDATE memories AS m SET access_count = m.access_count + t.count, accessed_at = greatest(m.accessed_at, t.at)
FROM unnest(%(rows)s::bigint[], %(counts)s::integer[], %(times)s::bigint[]) AS t (row, count, at)
WHERE m.account_id = %(account_id)s AND m.row = t.row

-- scan: Memories in the order of their rows, as stored, each with its cluster.
SELECT {memory}, c.cluster FROM memories AS m
LEFT JOIN members AS c ON c.account_id = %(account_id)s AND c.row = m.row
WHERE m.account_id = %(account_id)s AND m.row > %(after)s ORDER BY m.row LIMIT %(limit)s

-- scan_vectors: The vectors of the same rows, whatever their model.
SELECT v.row, v.model, v.vector FROM vectors AS v
WHERE v.account_id = %(account_id)s AND v.row = ANY (ARRAY(
    SELECT m.row FROM memories AS m WHERE m.account_id = %(account_id)s AND m.row > %(after)s ORDER BY m.row LIMIT %(limit)s))
ORDER BY v.row, v.part

-- unembedded: Rows without a vector of the model in use.
SELECT {memory} FROM memories AS m
WHERE m.account_id = %(account_id)s AND NOT EXISTS (
    SELECT FROM vectors AS v WHERE v.account_id = %(account_id)s AND v.row = m.row AND v.part = 0 AND v.model = %(model)s)
ORDER BY m.row LIMIT %(limit)s

-- vectors_of: The vectors of some memories.
SELECT m.id, v.vector FROM memories AS m JOIN vectors AS v ON v.account_id = m.account_id AND v.row = m.row
WHERE m.account_id = %(account_id)s AND v.account_id = %(account_id)s AND v.model = %(model)s AND m.id = ANY(%(ids)s::uuid[])
ORDER BY v.row, v.part

-- vectors_of_rows: The vectors of some rows.
SELECT v.row, v.vector FROM vectors AS v
WHERE v.account_id = %(account_id)s AND v.model = %(model)s AND v.row = ANY(%(rows)s)
ORDER BY v.row, v.part

-- switched_off: Projects for which memory is off.
SELECT project FROM switches WHERE account_id = %(account_id)s

-- switch_off: Nothing is stored or recalled here.
INSERT INTO switches (account_id, project) VALUES (%(account_id)s, %(project)s) ON CONFLICT DO NOTHING

-- switch_on: Memory works here again.
DELETE FROM switches WHERE account_id = %(account_id)s AND project = %(project)s

-- tag_steps: The tags of some rows.
SELECT row, tag FROM tags WHERE account_id = %(account_id)s AND row = ANY(%(rows)s::bigint[]) ORDER BY row, tag COLLATE "C"

-- tag_members: The newest rows of a tag; few of them, so that a hub cannot flood.
SELECT row FROM tags WHERE account_id = %(account_id)s AND tag = %(tag)s ORDER BY row DESC LIMIT %(limit)s

-- tag_names: Every tag of an account.
SELECT tag FROM (SELECT DISTINCT tag FROM tags WHERE account_id = %(account_id)s) AS known ORDER BY tag COLLATE "C"

-- cluster_steps: The clusters of some rows.
SELECT m.row, c.id FROM members AS m JOIN clusters AS c ON c.account_id = m.account_id AND c.id = m.cluster
WHERE m.account_id = %(account_id)s AND m.row = ANY(%(rows)s::bigint[]) AND c.model = %(model)s ORDER BY m.row

-- cluster_members: The newest rows of a cluster.
SELECT row FROM members WHERE account_id = %(account_id)s AND cluster = %(id)s ORDER BY row DESC LIMIT %(limit)s

-- links_from: Where links of some rows lead.
SELECT l.source, t.row, l.relation, l.weight
FROM links AS l JOIN memories AS t ON t.account_id = l.account_id AND t.id = l.target
WHERE l.account_id = %(account_id)s AND t.account_id = %(account_id)s AND l.source = ANY(%(rows)s::bigint[])

-- links_to: The strongest and newest links that lead to each of some rows, so that a hub is read no further.
SELECT m.row, l.source, l.relation, l.weight
FROM memories AS m CROSS JOIN LATERAL (
    SELECT source, relation, weight FROM links
    WHERE account_id = %(account_id)s AND target = m.id ORDER BY weight DESC, source DESC LIMIT %(limit)s) AS l
WHERE m.account_id = %(account_id)s AND m.row = ANY(%(rows)s::bigint[])

-- supersedes_from: What some rows supersede.
SELECT m.row, t.row FROM memories AS m JOIN memories AS t ON t.account_id = m.account_id AND t.id = m.supersedes
WHERE m.account_id = %(account_id)s AND t.account_id = %(account_id)s AND m.row = ANY(%(rows)s::bigint[])

-- supersedes_to: What supersedes some rows.
SELECT m.row, s.row FROM memories AS m JOIN memories AS s ON s.account_id = m.account_id AND s.supersedes = m.id
WHERE m.account_id = %(account_id)s AND s.account_id = %(account_id)s AND m.row = ANY(%(rows)s::bigint[])

-- all_triggers: Every trigger pattern of an account.
SELECT row, pattern FROM triggers WHERE account_id = %(account_id)s ORDER BY row, pattern COLLATE "C"

-- sized_clusters: The clusters of an account, each with how many of its members are active.
SELECT c.id, c.name, c.centroid, c.radius, c.made_at, c.scope, c.room, coalesce(h.size, 0), c.model
FROM clusters AS c LEFT JOIN (
    SELECT m.cluster, count(*) AS size FROM members AS m JOIN memories AS r ON r.account_id = m.account_id AND r.row = m.row
    WHERE m.account_id = %(account_id)s AND r.account_id = %(account_id)s AND r.status = 'active' GROUP BY m.cluster
) AS h ON h.cluster = c.id
WHERE c.account_id = %(account_id)s

-- clusters_of: Those of a model, the largest first.
{sized_clusters} AND c.model = %(model)s ORDER BY 8 DESC, c.id

-- all_clusters: Those of every model.
{sized_clusters} ORDER BY c.id

-- put_cluster: A new cluster, or a new form of a known one.
INSERT INTO clusters (account_id, id, scope, room, name, model, centroid, radius, made_at)
VALUES (%(account_id)s, %(id)s, %(scope)s, %(room)s, %(name)s, %(model)s, %(centroid)s, %(radius)s, %(made_at)s)
ON CONFLICT (account_id, id) DO UPDATE SET name = excluded.name, model = excluded.model, centroid = excluded.centroid,
    radius = excluded.radius, made_at = excluded.made_at

-- clear_cluster: A cluster without its members.
DELETE FROM members WHERE account_id = %(account_id)s AND cluster = %(id)s

-- drop_clusters: Clusters and who belongs to them.
DELETE FROM clusters WHERE account_id = %(account_id)s AND id = ANY(%(ids)s::uuid[])

-- drop_cluster_of: The cluster a row belongs to, and who else belongs to it.
DELETE FROM clusters WHERE account_id = %(account_id)s
AND id = (SELECT m.cluster FROM members AS m WHERE m.account_id = %(account_id)s AND m.row = %(row)s)

-- join_clusters: A row belongs to one cluster.
INSERT INTO members (account_id, row, cluster)
SELECT %(account_id)s, t.row, t.cluster FROM unnest(%(rows)s::bigint[], %(ids)s::uuid[]) AS t (row, cluster)
ON CONFLICT (account_id, row) DO UPDATE SET cluster = excluded.cluster

-- leave_cluster: A row belongs to no cluster.
DELETE FROM members WHERE account_id = %(account_id)s AND row = %(row)s

-- document: What a document is read from.
id, kind, name, scope, room, project, body, created_at, updated_at

-- put_document: A new document, or a new form of a known one.
INSERT INTO documents (account_id, id, kind, name, scope, room, project, body, created_at, updated_at)
VALUES (%(account_id)s, %(id)s, %(kind)s, %(name)s, %(scope)s, %(room)s, %(project)s, %(body)s, %(created_at)s, %(updated_at)s)
ON CONFLICT (account_id, id) DO UPDATE SET name = excluded.name, scope = excluded.scope, room = excluded.room,
    project = excluded.project, body = excluded.body, updated_at = excluded.updated_at

-- drop_document: A document.
DELETE FROM documents WHERE account_id = %(account_id)s AND id = %(id)s

-- find_documents: The documents of a kind.
SELECT {document} FROM documents WHERE account_id = %(account_id)s AND kind = %(kind)s ORDER BY id

-- named_documents: The documents of a kind and a name, one a place.
SELECT {document} FROM documents WHERE account_id = %(account_id)s AND kind = %(kind)s AND name = %(name)s ORDER BY id

-- prefixed_documents: The documents of a kind whose names lie between two bounds.
SELECT {document} FROM documents
WHERE account_id = %(account_id)s AND kind = %(kind)s AND name >= %(low)s AND name < %(high)s ORDER BY name, id

-- documents_mentioning: Documents with one of some words in their name or body, all gaps and all contexts.
SELECT {document} FROM documents WHERE account_id = %(account_id)s
AND (kind IN ('gap', 'context') OR lower(concat_ws(E'\n', name, body) COLLATE "C") LIKE ANY (%(words)s))
ORDER BY id

-- log_access: One reading or writing of a context.
INSERT INTO accesses (account_id, document, at, agent, action, memory)
VALUES (%(account_id)s, %(document)s, %(at)s, %(agent)s, %(action)s, %(memory)s)

-- accesses_of: The latest readings and writings of a context.
SELECT at, agent, action, memory FROM accesses
WHERE account_id = %(account_id)s AND document = %(document)s ORDER BY number DESC LIMIT %(limit)s

-- search_path: Where the tables are, and where the extension is.
SELECT concat_ws(', ', quote_ident(%(schema)s), (
    SELECT quote_ident(n.nspname) FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'))

-- session_path: Look there, for one session.
SELECT set_config('search_path', %(search_path)s, false)

-- transaction_settings: What each transaction sets for itself. A prepared statement is planned once per connection, for any account:
-- planning takes longer than running it. Every statement goes by a key that begins with the account, so a plan that was made before
-- there were statistics must not read a whole partition.
SELECT set_config('search_path', %(search_path)s, true),
       set_config('statement_timeout', %(statement)s, true),
       set_config('lock_timeout', %(lock)s, true),
       set_config('idle_in_transaction_session_timeout', %(idle)s, true),
       set_config('plan_cache_mode', %(plans)s, true),
       set_config('enable_seqscan', 'off', true),
       set_config('max_parallel_workers_per_gather', '0', true),
       set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.max_scan_tuples', '40000', true),
       set_config('hnsw.ef_search', '64', true),
       set_config('jit', 'off', true),
       set_config('role', %(role)s, true)

-- replacing: What supersedes the memories {asked} selects, and what supersedes that in turn; where both are, and when it is in force.
-- Of several that supersede the same one, the last row counts.
WITH RECURSIVE chain AS (
    SELECT s.id, s.supersedes, s.place, t.place AS old_place, s.status, s.valid_from, s.valid_until, s.expires_at, s.row
    FROM memories AS t JOIN memories AS s ON s.account_id = %(account_id)s AND s.supersedes = t.id
    WHERE t.account_id = %(account_id)s AND t.id = ANY (ARRAY({asked}))
    UNION
    SELECT s.id, s.supersedes, s.place, c.place, s.status, s.valid_from, s.valid_until, s.expires_at, s.row
    FROM chain AS c JOIN memories AS s ON s.account_id = %(account_id)s AND s.supersedes = c.id)
SELECT id, supersedes, place, old_place, status, valid_from, valid_until, expires_at FROM chain ORDER BY row

-- tallies: How many memories of each status, type and project there are in some rooms, how many have vectors of each model, and their events.
SELECT t.kind, t.name, t.room, t.held FROM tallies AS t
WHERE t.account_id = %(account_id)s AND t.kind = ANY ('{status,type,project,model,event}') AND t.held > 0
AND (%(rooms)s::text[] IS NULL OR t.room = ANY (%(rooms)s::text[]))

-- most_tags: The tags that most of those memories have.
SELECT t.name, sum(t.held)::bigint FROM tallies AS t
WHERE t.account_id = %(account_id)s AND t.kind = 'tag' AND t.held > 0
AND (%(rooms)s::text[] IS NULL OR t.room = ANY (%(rooms)s::text[]))
GROUP BY t.name ORDER BY 2 DESC, t.name COLLATE "C" LIMIT 20

-- what_is_there: How many tables a schema has, and whether it is ours.
SELECT count(*), bool_or(c.relname = 'notes')
FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
WHERE n.nspname = %(schema)s

-- get_version: The version of the schema.
SELECT value FROM notes WHERE account_id = 0 AND name = 'schema'

-- as_many_partitions: New tables get as many partitions as the others have.
SELECT set_config('recollect.partitions', value, true) FROM notes WHERE account_id = 0 AND name = 'partitions'

-- vector_version: The version of the extension that is installed here, and the one that could be.
SELECT installed_version, default_version FROM pg_available_extensions WHERE name = 'vector'

-- lock_migration: One migration at a time; the number is as good as any.
SELECT pg_advisory_lock(7235634127)

-- unlock_migration: The next one may begin.
SELECT pg_advisory_unlock(7235634127)

-- migration_settings: What the scripts of a migration are told.
SELECT set_config('recollect.schema', %(schema)s, true), set_config('recollect.role', %(role)s, true),
       set_config('recollect.partitions', %(partitions)s, true)

-- migration_path: The search path, for one transaction.
SELECT set_config('search_path', %(search_path)s, true)

-- take_lease: A piece of work is mine until a moment by the server's clock, unless somebody else has it.
INSERT INTO leases AS l (account_id, work, holder, until)
VALUES (%(account_id)s, %(work)s, %(holder)s,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + %(micros)s)
ON CONFLICT (account_id, work) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE l.holder = excluded.holder OR l.until <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
RETURNING until

-- drop_lease: The work is done.
DELETE FROM leases WHERE account_id = %(account_id)s AND work = %(work)s AND holder = %(holder)s RETURNING until

-- add_waiting_vectors: Add some of the waiting vectors to the account's vector index, the longest waiting first.
UPDATE vectors AS v SET waiting = false
WHERE v.account_id = %(account_id)s AND v.waiting AND v.row = ANY (ARRAY(
    SELECT w.row FROM vectors AS w WHERE w.account_id = %(account_id)s AND w.waiting ORDER BY w.row LIMIT %(few)s))

-- partitions_of: The partitions with the rows of an account, as far as the login role may vacuum and analyze them.
SELECT c.relname
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_inherits AS i ON i.inhrelid = c.oid
JOIN pg_class AS t ON t.oid = i.inhparent JOIN pg_partitioned_table AS p ON p.partrelid = t.oid
WHERE n.nspname = %(schema)s AND c.relkind = 'r' AND pg_has_role(session_user, c.relowner, 'USAGE')
AND t.relname IN ('memories', 'tags', 'vectors', 'terms', 'rooms', 'centers', 'events', 'links',
      'triggers', 'clusters', 'members', 'documents', 'tallies', 'metadata')
AND satisfies_hash_partition(t.oid, (SELECT count(*)::integer FROM pg_inherits WHERE inhparent = t.oid),
    substring(pg_get_expr(c.relpartbound, c.oid) FROM 'remainder (\d+)')::integer, %(account_id)s::bigint)
ORDER BY c.relname

-- size_of_tables: How many bytes some tables take, with their indexes.
SELECT coalesce(sum(pg_total_relation_size(t.name::regclass)), 0)::bigint FROM unnest(%(names)s::text[]) AS t (name)

-- older_snapshots: How many other transactions, standbys and replication slots may still see rows that are deleted by now.
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
            AND (datname = current_database() OR backend_type = 'walsender'))
     + (SELECT count(*) FROM pg_replication_slots WHERE xmin IS NOT NULL)

-- lock_patience: How long to wait for a lock.
SELECT set_config('lock_timeout', %(milliseconds)s, false)

-- server: The server, the extension, and what decides whether an acknowledged change survives a power cut.
SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector'),
       current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AND current_setting('synchronous_commit') <> 'off',
       (SELECT coalesce(sum(checksum_failures), 0) FROM pg_stat_database WHERE datname = current_database()),
       current_setting('max_connections')::integer

-- sizes: How much room the tables and their indexes take.
SELECT coalesce(sum(pg_table_size(oid)), 0)::bigint, coalesce(sum(pg_indexes_size(oid)), 0)::bigint
FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'

-- wall_held: Whether the wall holds for whoever asks: neither above it, nor the owner, and on every table.
SELECT r.rolsuper OR r.rolbypassrls, bool_or(pg_has_role(current_user, c.relowner, 'USAGE')),
       count(*) FILTER (WHERE NOT (c.relrowsecurity AND c.relforcerowsecurity)
           OR NOT EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'wall'))
FROM pg_roles AS r, pg_class AS c
WHERE r.rolname = current_user AND c.relnamespace = current_schema()::regnamespace AND c.relkind = 'p'
GROUP BY r.rolsuper, r.rolbypassrls

-- current_settings: What a connection works under.
SELECT name, setting FROM pg_settings WHERE name = ANY(%(names)s) ORDER BY name

-- broken_indexes: Indexes that an interrupted build left behind, which no search uses.
SELECT c.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid AND c.relkind = 'i' ORDER BY c.relname

-- unmeasured: Parts that hold many rows and were never measured, so that the planner guesses.
SELECT c.relname FROM pg_class AS c JOIN pg_stat_all_tables AS s ON s.relid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND s.n_live_tup > 10000
AND s.last_analyze IS NULL AND s.last_autoanalyze IS NULL ORDER BY c.relname

-- plan_of_ids: How a memory is found by its id.
EXPLAIN (FORMAT JSON) {get_memories}

-- plan_of_texts: How a memory is found by its exact text.
EXPLAIN (FORMAT JSON) {by_digest}

-- plan_of_words: How the owner's functions look words up, for whatever account.
EXPLAIN (GENERIC_PLAN, FORMAT JSON)
SELECT m.row FROM memories AS m WHERE m.account_id = $1 AND m.words && $2::integer[] AND m.words @> $3::integer[] AND m.words @> $4::integer[]

-- operations_like: Operations whose id begins or ends with some hexadecimal digits.
SELECT DISTINCT f.operation FROM (
    SELECT e.operation FROM events AS e
    WHERE e.account_id = %(account_id)s AND e.operation >= %(low)s::uuid AND e.operation <= %(high)s::uuid
    UNION ALL
    SELECT e.operation FROM events AS e
    WHERE e.account_id = %(account_id)s AND e.operation_tail >= %(tail)s AND e.operation_tail < %(tail_end)s
    AND right(replace(e.operation::text, '-', ''), length(%(suffix)s::text)) = %(suffix)s::text) AS f
LIMIT %(limit)s

-- documents_by_id: Documents of whatever kind, by id.
SELECT {document} FROM documents WHERE account_id = %(account_id)s AND id = ANY(%(ids)s::uuid[]) ORDER BY id

-- linked_by: The memories that have a link of one relation, newest first.
SELECT DISTINCT m.row, m.id FROM links AS l JOIN memories AS m ON m.account_id = l.account_id AND m.row = l.source
WHERE l.account_id = %(account_id)s AND m.account_id = %(account_id)s AND l.relation = %(relation)s ORDER BY m.row DESC
