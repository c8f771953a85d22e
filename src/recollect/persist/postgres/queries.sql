-- The queries of the server back end that store, read and count, by name; those that search are in search.sql.
-- `-- name: purpose` starts one; `{name}` stands for an earlier one; values are bound, never formatted.

-- begin_reading: One view for several reads.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- begin_writing: After the lock of the account, every statement sees what those before it committed.
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE

-- look_at: From here on, only the rows of this account exist. A SET is passed on by clusters, a function call is not.
SET LOCAL recollect.account = '%(account)s'

-- account: What an account is called, where it stands, and where memory is switched off.
SELECT name, seq, clusters, held, replacing, off, purged, gaps FROM standing(%(account_id)s)

-- secrets: The keys of the hashes of texts: the one in use, and those of stores that were brought in.
SELECT name, value FROM notes WHERE account_id = 0 AND name IN ('secret', 'former_secrets')

-- account_in_view: The same for a view, from a plan that is kept. What only changes ask about is taken to be there.
SELECT a.name, a.seq, a.clusters, a.held, a.replacing, ARRAY(SELECT s.project FROM switches AS s WHERE s.account_id = %(account_id)s), true, true
FROM accounts AS a WHERE a.account_id = %(account_id)s

-- read: Begin a view and look at an account.
{begin_reading}; {look_at}

-- turn: Look at another account.
{look_at}; {account}

-- write: Begin a change: one writer an account at a time; the number is for the first row it may make. What is stored is
-- compared with the nearest dozen, for which a narrow walk does.
{begin_writing}; {look_at}; SET LOCAL hnsw.ef_search = 48; SELECT secrets, reserved FROM sole_writer(%(account_id)s, %(lock)s); {account}

-- nothing_barred: Fails where a text was erased for good or memory is off somewhere, so that the server passes over all that was sent
-- after it: what must not be stored may not even be written and taken back, for its row would stay in the file for a while.
SELECT 1 / (NOT EXISTS (SELECT FROM purged AS p WHERE p.account_id = %(account_id)s)
            AND NOT EXISTS (SELECT FROM switches AS s WHERE s.account_id = %(account_id)s))::integer

-- more_rows: Numbers for further rows.
SELECT nextval('memory_rows') FROM generate_series(1, %(count)s)

-- may_see_all: Whether whoever logged in may read every account.
SELECT s.rolsuper OR s.rolbypassrls OR pg_has_role(session_user, c.relowner, 'USAGE')
FROM pg_roles AS s, pg_class AS c WHERE s.rolname = session_user AND c.oid = 'accounts'::regclass

-- as_login: Out from behind the wall, for this transaction.
SET LOCAL ROLE NONE

-- as_role: Behind the wall again.
SELECT set_config('role', %(role)s, true)

-- all_accounts: Every account that has anything.
SELECT name FROM accounts ORDER BY name COLLATE "C"

-- holds_nothing: Whether no account has anything yet, but this one what was just brought.
SELECT NOT EXISTS (SELECT FROM accounts WHERE account_id <> %(own)s OR held > 0)

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

-- memory: What a memory is read from.
m.row, m.id, m.content, m.type, m.scope, m.agent, m.team, m.project, m.session, m.task, m.importance, m.weight, m.confidence,
m.trust, m.score, m.strength, m.access_count, m.created_at, m.updated_at, m.accessed_at, m.hit_at, m.valid_from, m.valid_until,
m.expires_at, m.delivery, m.status, m.supersedes, m.source, m.position, m.speaker, m.occurred_at, m.season, m.tags, m.more, m.key

-- own_row: The number of a new row; -1 stands for the one its change reserved.
CASE row WHEN -1 THEN currval('memory_rows') ELSE row END

-- insert_memories: New rows, as JSON.
INSERT INTO memories (
    account_id, row, id, content, digest, type, scope, agent, team, project, session, task, place, importance, weight,
    confidence, trust, score, strength, access_count, created_at, updated_at, accessed_at, hit_at, valid_from, valid_until,
    expires_at, delivery, status, supersedes, source, position, speaker, occurred_at, season, tags, more, key, standing, role, words, packed_words,
    facets)
SELECT
    account_id, {own_row}, id, content, digest, type, scope, agent, team, project, session, task, place, importance, weight,
    confidence, trust, score, strength, access_count, created_at, updated_at, accessed_at, hit_at, valid_from, valid_until,
    expires_at, delivery, status, supersedes, source, position, speaker, occurred_at, season, tags, more, key, standing, role, words, packed_words,
    facets
FROM json_populate_recordset(NULL::memories, %(memories)s::json)

-- update_memory: Every field of a row but its counters and its identity.
UPDATE memories SET
    content = %(content)s, digest = %(digest)s, type = %(type)s, scope = %(scope)s, agent = %(agent)s, team = %(team)s,
    project = %(project)s, session = %(session)s, task = %(task)s, place = %(place)s, importance = %(importance)s,
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

-- get_memories: Rows by id.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND m.id = ANY(%(ids)s::uuid[])

-- fetch_rows: Rows by number.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND m.row = ANY(%(rows)s::bigint[])

-- find_memories: The head of a list; the filter compiler writes its conditions.
SELECT {memory} FROM memories AS m WHERE

-- page: The end of a list.
ORDER BY m.row DESC LIMIT %(limit)s OFFSET %(offset)s

-- count_tags: The head of a count of tags; the filter compiler writes its conditions.
SELECT t.tag, count(*) FROM tags AS t JOIN memories AS m ON m.account_id = t.account_id AND m.row = t.row
WHERE t.account_id = %(account_id)s AND

-- by_tag: The end of a count of tags.
GROUP BY t.tag ORDER BY count(*) DESC, t.tag COLLATE "C"

-- by_digest: Memories with exactly this normalised text.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND m.digest = %(digest)s ORDER BY m.row

-- by_key: The memories stored under an idempotency key.
SELECT {memory} FROM memories AS m WHERE m.account_id = %(account_id)s AND m.key = %(key)s ORDER BY m.row

-- id_prefix: Ids between two bounds.
SELECT id FROM memories WHERE account_id = %(account_id)s AND id >= %(low)s AND id <= %(high)s LIMIT 20

-- id_suffix: Ids by their last hexadecimal digits.
SELECT id FROM memories WHERE account_id = %(account_id)s
AND right(replace(id::text, '-', ''), length(%(suffix)s::text)) = %(suffix)s::text LIMIT 20

-- insert_tags: The tags of new rows, as JSON.
INSERT INTO tags (account_id, tag, row) SELECT account_id, tag, {own_row} FROM json_populate_recordset(NULL::tags, %(tags)s::json)
ON CONFLICT DO NOTHING

-- drop_tags: All tags of one row.
DELETE FROM tags WHERE account_id = %(account_id)s AND row = %(row)s

-- insert_links: The links of new rows, as JSON.
INSERT INTO links (account_id, source, relation, target, weight)
SELECT account_id, CASE source WHEN -1 THEN currval('memory_rows') ELSE source END, relation, target, weight
FROM json_populate_recordset(NULL::links, %(links)s::json)

-- drop_links: All links of one row.
DELETE FROM links WHERE account_id = %(account_id)s AND source = %(row)s

-- insert_triggers: The trigger patterns of new rows, as JSON.
INSERT INTO triggers (account_id, row, pattern)
SELECT account_id, {own_row}, pattern FROM json_populate_recordset(NULL::triggers, %(triggers)s::json) ON CONFLICT DO NOTHING

-- drop_triggers: All trigger patterns of one row.
DELETE FROM triggers WHERE account_id = %(account_id)s AND row = %(row)s

-- insert_events: Lines of the journal, as JSON, in their order.
INSERT INTO events (account_id, operation, at, actor, kind, memory, row, before, after, reason, undoes, document)
SELECT account_id, operation, at, actor, kind, memory, {own_row}, before, after, reason, undoes, document
FROM json_populate_recordset(NULL::events, %(events)s::json)

-- insert_whole: New rows, their tags and their lines of the journal at once.
WITH stored AS (
{insert_memories}
), tagged AS (
{insert_tags}
), told AS (
{insert_events}
RETURNING seq)
UPDATE accounts SET seq = coalesce((SELECT max(seq) FROM told), seq) WHERE account_id = %(account_id)s

-- replay_event: A line of the journal as it was, under a new number.
INSERT INTO events (account_id, operation, at, actor, kind, memory, row, before, after, reason, undoes, document)
SELECT %(account_id)s, %(operation)s, %(at)s, %(actor)s, %(kind)s, %(memory)s, coalesce((
    SELECT row FROM memories WHERE account_id = %(account_id)s AND id = %(memory)s AND %(document)s::text IS NULL), 0),
    %(before)s, %(after)s, %(reason)s, %(undoes)s, %(document)s
RETURNING seq

-- scrub_events: A purged memory leaves the skeleton of its journal, no images.
UPDATE events SET before = NULL, after = NULL, reason = NULL WHERE account_id = %(account_id)s AND memory = %(memory)s

-- find_events: Events by whatever is asked for; what is not is NULL.
SELECT seq, operation, at, actor, kind, memory, before, after, reason, undoes, document FROM events
WHERE account_id = %(account_id)s AND seq > %(after)s
AND (%(memory)s::uuid IS NULL OR memory = %(memory)s::uuid)
AND (%(operation)s::uuid IS NULL OR operation = %(operation)s::uuid)
AND (%(since)s::bigint IS NULL OR at > %(since)s::bigint) AND (%(embeds)s OR kind <> 'embed')

-- oldest_events: From the first on.
{find_events} ORDER BY seq LIMIT %(limit)s

-- newest_events: From the last on.
{find_events} ORDER BY seq DESC LIMIT %(limit)s

-- undone: Which operations were undone by a later one.
SELECT DISTINCT undoes FROM events WHERE account_id = %(account_id)s AND undoes IS NOT NULL AND undoes = ANY(%(ids)s::uuid[])

-- is_purged: Whether this text was erased for good.
SELECT 1 FROM purged WHERE account_id = %(account_id)s AND digest = ANY(%(digests)s::bytea[]) LIMIT 1

-- add_purged: The keyed hash is all that stays of a purged text.
INSERT INTO purged (account_id, digest) SELECT %(account_id)s, unnest(%(digests)s::bytea[]) ON CONFLICT DO NOTHING

-- drop_purged: A person's explicit wish brings a purged text back.
DELETE FROM purged WHERE account_id = %(account_id)s AND digest = ANY(%(digests)s::bytea[])

-- purged_digests: All of them.
SELECT digest FROM purged WHERE account_id = %(account_id)s ORDER BY digest

-- touch: Count accesses; not an event, a recall must not make the journal grow.
UPDATE memories AS m SET access_count = m.access_count + t.count, accessed_at = greatest(m.accessed_at, %(at)s)
FROM unnest(%(rows)s::bigint[], %(counts)s::integer[]) AS t (row, count)
WHERE m.account_id = %(account_id)s AND m.row = t.row

-- walk: Memories in the order of their rows, as stored, each with its cluster.
SELECT {memory}, c.cluster FROM memories AS m
LEFT JOIN members AS c ON c.account_id = %(account_id)s AND c.row = m.row
WHERE m.account_id = %(account_id)s AND m.row > %(after)s ORDER BY m.row LIMIT %(limit)s

-- walk_vectors: The vectors of rows up to one, whatever their model.
SELECT row, model, vector FROM vectors
WHERE account_id = %(account_id)s AND row = ANY(%(rows)s::bigint[]) ORDER BY row, part

-- unembedded: Rows without a vector of the model in use.
SELECT {memory} FROM memories AS m
WHERE m.account_id = %(account_id)s AND NOT EXISTS (
    SELECT FROM vectors AS v WHERE v.account_id = %(account_id)s AND v.row = m.row AND v.part = 0 AND v.model = %(model)s)
ORDER BY m.row LIMIT %(limit)s

-- vectors_of: The vectors of some memories.
SELECT m.id, v.vector FROM memories AS m JOIN vectors AS v ON v.account_id = m.account_id AND v.row = m.row
WHERE m.account_id = %(account_id)s AND v.account_id = %(account_id)s AND v.model = %(model)s AND m.id = ANY(%(ids)s::uuid[])
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

-- cluster_of: The cluster a row belongs to.
SELECT cluster FROM members WHERE account_id = %(account_id)s AND row = %(row)s

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

-- log_access: One reading or writing of a context.
INSERT INTO accesses (account_id, document, at, agent, action, memory)
VALUES (%(account_id)s, %(document)s, %(at)s, %(agent)s, %(action)s, %(memory)s)

-- accesses_of: The latest readings and writings of a context.
SELECT at, agent, action, memory FROM accesses
WHERE account_id = %(account_id)s AND document = %(document)s ORDER BY number DESC LIMIT %(limit)s

-- path: Where the tables are, and where the extension is.
concat_ws(', ', quote_ident(%(schema)s), (
    SELECT quote_ident(n.nspname) FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'))

-- session_path: Look there.
SELECT set_config('search_path', {path}, false)

-- prepare_connection: The settings of a new connection. Plans are made once and good for every account: each statement goes by a
-- key that begins with the account, so that no plan may read a table through, whatever was known of the table when it was made,
-- nor call for workers, which takes longer than the work.
SELECT set_config('search_path', {path}, false),
       set_config('statement_timeout', %(statement)s, false),
       set_config('lock_timeout', %(lock)s, false),
       set_config('idle_in_transaction_session_timeout', %(idle)s, false),
       set_config('plan_cache_mode', 'force_generic_plan', false),
       set_config('enable_seqscan', 'off', false),
       set_config('max_parallel_workers_per_gather', '0', false),
       set_config('hnsw.iterative_scan', 'relaxed_order', false),
       set_config('hnsw.max_scan_tuples', '40000', false),
       set_config('hnsw.ef_search', '64', false),
       set_config('jit', 'off', false),
       set_config('role', %(role)s, false)

-- replacing: What supersedes some memories, where both live, and when it is in force; of several, the last row is the heir.
SELECT s.id, s.supersedes, s.place, t.place, s.status, s.valid_from, s.valid_until, s.expires_at
FROM memories AS s JOIN memories AS t ON t.account_id = s.account_id AND t.id = s.supersedes
WHERE s.account_id = %(account_id)s AND t.account_id = %(account_id)s AND s.supersedes = ANY(%(ids)s::uuid[])
ORDER BY s.row

-- count_kinds: How many memories of each kind; the filter compiler says what is reached.
SELECT CASE WHEN m.status = 'active' AND m.id = ANY(%(replaced)s::uuid[]) THEN 'superseded' ELSE m.status END,
       m.status, m.type, m.scope, m.project, count(*)
FROM memories AS m WHERE m.account_id = %(account_id)s AND {reached} GROUP BY 1, 2, 3, 4, 5

-- count_most_tags: The tags that most memories carry.
SELECT t.tag, count(*) FROM tags AS t JOIN memories AS m ON m.account_id = t.account_id AND m.row = t.row
WHERE t.account_id = %(account_id)s AND m.account_id = %(account_id)s AND {reached}
GROUP BY t.tag ORDER BY count(*) DESC, t.tag COLLATE "C" LIMIT 20

-- count_models: How many memories have vectors of each model.
SELECT v.model, count(*) FROM vectors AS v JOIN memories AS m ON m.account_id = v.account_id AND m.row = v.row
WHERE v.account_id = %(account_id)s AND m.account_id = %(account_id)s AND v.part = 0 AND {reached} GROUP BY v.model

-- count_events: How many events there are of what is reached.
SELECT count(*) FROM events AS e JOIN memories AS m ON m.account_id = e.account_id AND m.id = e.memory
WHERE e.account_id = %(account_id)s AND m.account_id = %(account_id)s AND {reached}

-- count_unembedded: How many lack a vector of the model in use.
SELECT count(*) FROM memories AS m WHERE m.account_id = %(account_id)s AND {reached} AND NOT EXISTS (
    SELECT FROM vectors AS v WHERE v.account_id = %(account_id)s AND v.row = m.row AND v.part = 0 AND v.model = %(model)s)

-- what_is_there: How many tables a schema has, and whether it is ours.
SELECT count(*), bool_or(c.relname = 'notes')
FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
WHERE n.nspname = %(schema)s

-- get_version: The version of the schema.
SELECT value FROM notes WHERE account_id = 0 AND name = 'schema'

-- vector_version: The version of the extension that is installed here, and the one that could be.
SELECT installed_version, default_version FROM pg_available_extensions WHERE name = 'vector'

-- lock_migration: One migration at a time; the number is as good as any.
SELECT pg_advisory_lock(7235634127)

-- unlock_migration: The next one may begin.
SELECT pg_advisory_unlock(7235634127)

-- migration_settings: What the scripts of a migration are told.
SELECT set_config('recollect.schema', %(schema)s, true), set_config('recollect.role', %(role)s, true),
       set_config('recollect.partitions', %(partitions)s, true)

-- migration_path: The same for one transaction.
SELECT set_config('search_path', {path}, true)

-- take_lease: A piece of work is mine until a moment by the server's clock, unless somebody else has it.
INSERT INTO leases AS l (account_id, work, holder, until)
VALUES (%(account_id)s, %(work)s, %(holder)s,
        (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + %(micros)s)
ON CONFLICT (account_id, work) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE l.holder = excluded.holder OR l.until <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
RETURNING until

-- drop_lease: The work is done.
DELETE FROM leases WHERE account_id = %(account_id)s AND work = %(work)s AND holder = %(holder)s RETURNING until

-- link_waiting: Put some of the vectors that wait into the account's vector index; the longest waiting first.
UPDATE vectors AS v SET waiting = false
WHERE v.account_id = %(account_id)s AND v.waiting AND v.row = ANY (ARRAY(
    SELECT w.row FROM vectors AS w WHERE w.account_id = %(account_id)s AND w.waiting ORDER BY w.row LIMIT %(few)s))

-- parts_of: The parts of the tables that hold the texts of an account, when whoever logged in may vacuum them.
SELECT c.relname
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_inherits AS i ON i.inhrelid = c.oid
JOIN pg_class AS t ON t.oid = i.inhparent JOIN pg_partitioned_table AS p ON p.partrelid = t.oid
WHERE n.nspname = %(schema)s AND c.relkind = 'r' AND pg_has_role(session_user, c.relowner, 'USAGE')
AND t.relname IN ('memories', 'tags', 'vectors', 'terms', 'events', 'links',
      'triggers', 'clusters', 'members', 'documents')
AND satisfies_hash_partition(t.oid, (SELECT count(*)::integer FROM pg_inherits WHERE inhparent = t.oid),
    substring(pg_get_expr(c.relpartbound, c.oid) FROM 'remainder (\d+)')::integer, %(account_id)s::bigint)
ORDER BY c.relname

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
