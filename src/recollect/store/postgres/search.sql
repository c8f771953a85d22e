-- Every statement of a search. {where} is the compiled filter on memories AS m; results are arrays, one per column, which numpy
-- reads as they are. Nothing here orders by more than one measure: retrievers choose rows, the scorer ranks them.

-- replacements: the memories that supersede a stored one, as columns in the order of rows; nothing when the account's last event is `unless`
SELECT array_agg(r.id), array_agg(r.old_id), array_agg(r.place), array_agg(r.old_place), array_agg(r.row), array_agg(r.old_row),
       array_agg(r.active), array_agg(r.old_active), array_agg(r.expires), array_agg(r.valid_from), array_agg(r.valid_until), array_agg(r.begun)
FROM (SELECT m.id::text AS id, o.id::text AS old_id, m.place, o.place AS old_place, m.row, o.row AS old_row,
             m.status = 'active' AS active, o.status = 'active' AS old_active, coalesce(m.expires_at::float8, 'NaN') AS expires,
             coalesce(m.valid_from::float8, 'NaN') AS valid_from, coalesce(m.valid_until::float8, 'NaN') AS valid_until,
             coalesce(m.occurred_at, m.created_at)::float8 AS begun
      FROM memories AS m JOIN memories AS o ON o.account_id = m.account_id AND o.id = m.supersedes
      WHERE m.account_id = %(account_id)s AND o.account_id = %(account_id)s AND m.supersedes IS NOT NULL
        AND (SELECT a.seq FROM accounts AS a WHERE a.account_id = %(account_id)s) <> %(unless)s
      ORDER BY m.row) AS r

-- facts: what a search needs to know of an account and of the places it looks in
SELECT a.held, a.words, a.replacing, a.held - r.walled, to_regclass(%(index)s) IS NOT NULL, c.vectors, c.total::real[], r.memories, r.vectors
FROM accounts AS a LEFT JOIN centers AS c ON c.account_id = %(account_id)s AND c.model = %(model)s
CROSS JOIN (
    SELECT coalesce(sum(o.held) FILTER (WHERE o.model = '' AND o.place = ANY (%(places)s)), 0)::bigint AS memories,
           coalesce(sum(o.held) FILTER (WHERE o.model = %(model)s AND o.place = ANY (%(places)s)), 0)::bigint AS vectors,
           -- Behind a wall are the rooms of other agents, teams and users: what lies there is not even counted.
           coalesce(sum(o.held) FILTER (WHERE o.model = '' AND o.place ~ '^\["(agent|team|user)",' AND NOT EXISTS (
               SELECT FROM unnest(%(own)s::text[]) AS u (room) WHERE starts_with(o.place, u.room))), 0)::bigint AS walled
    FROM rooms AS o WHERE o.account_id = %(account_id)s AND (o.place = ANY (%(places)s)
      OR o.place >= '["agent",' AND o.place < '["agent"-' OR o.place >= '["team",' AND o.place < '["team"-'
      OR o.place >= '["user",' AND o.place < '["user"-')
) AS r
WHERE a.account_id = %(account_id)s

-- memories_of_words: how many memories hold each of some words
SELECT array_agg(t.word), array_agg(t.memories) FROM terms AS t
WHERE t.account_id = %(account_id)s AND t.word = ANY (%(marks)s)

-- known_words: how many memories hold each of some words, and which of the words decide what is scored: from the rarest on, as long as
-- they bring no more rows than that, and always the rarest
SELECT array_agg(t.word) AS words, array_agg(t.memories) AS memories,
       array_agg(t.word) FILTER (WHERE t.place = 1 OR t.summed <= %(most)s) AS gate
FROM (SELECT s.word, s.memories, row_number() OVER rarest AS place, sum(s.memories) OVER rarest AS summed FROM terms AS s
      WHERE s.account_id = %(account_id)s AND s.word = ANY (%(marks)s)
      WINDOW rarest AS (ORDER BY s.memories, array_position(%(marks)s::integer[], s.word))) AS t

-- worded: those, and the terms of the rows that have one of the deciding ones, when place, status and time are the whole filter
WITH known AS MATERIALIZED ({known_words})
SELECT (SELECT k.words FROM known AS k), (SELECT k.memories FROM known AS k),
       array_agg(g.row), array_agg(octet_length(g.words) / 4), string_agg(g.words, '')
FROM words_any((SELECT k.gate FROM known AS k), %(places)s, %(stored)s, %(now)s, %(past)s) AS g

-- worded_under: the same under any filter
WITH known AS MATERIALIZED ({known_words})
SELECT (SELECT k.words FROM known AS k), (SELECT k.memories FROM known AS k),
       array_agg(m.row), array_agg(octet_length(m.packed_words) / 4), string_agg(m.packed_words, '')
FROM memories AS m WHERE {where} AND m.row = ANY (ARRAY(
    SELECT g.row FROM words_any((SELECT k.gate FROM known AS k), %(places)s, %(stored)s, %(now)s, %(past)s) AS g))

-- measured: how near every row that passes is; whoever asks sorts
-- (Rows go from part to part as an array: a join of a table nobody has analysed since it grew may compare each with each.)
array_agg(x.row), array_agg(x.part), array_agg((-(x.vector::vector <#> %(vector)s::vector))::real)
FROM vectors AS x WHERE x.account_id = %(account_id)s AND x.model = %(model)s AND x.row = ANY ((SELECT p.rows FROM passing AS p)::bigint[])

-- nearest_exact: that, and how many pass; with `most` of them, only of as many
WITH passing AS MATERIALIZED (SELECT ARRAY(SELECT m.row FROM memories AS m WHERE {where} LIMIT %(most)s) AS rows)
SELECT (SELECT cardinality(p.rows) FROM passing AS p), {measured}

-- nearest_few: a few of the nearest when most of the account passes: the closest of all its vectors in half precision, and of
-- those rows that pass how near they are; how many were closest and the nearness of the last tell whether others could be nearer;
-- and what the first of them say: whoever asks compares those next
WITH likely AS MATERIALIZED (
    SELECT x.row, x.vector <#> %(half)s::halfvec AS distance FROM vectors AS x
    WHERE x.account_id = %(account_id)s AND x.model = %(model)s ORDER BY distance LIMIT %(likely)s),
passing AS MATERIALIZED (
    SELECT array_agg(m.row) AS rows, array_agg((array_position({statuses}, m.status) - 1)::smallint) AS statuses,
           array_agg(m.row) FILTER (WHERE c.yes) AS said, array_agg(m.id::text) FILTER (WHERE c.yes) AS ids,
           array_agg(m.content) FILTER (WHERE c.yes) AS contents
    FROM memories AS m CROSS JOIN LATERAL (SELECT m.row = ANY (ARRAY(SELECT l.row FROM likely AS l LIMIT %(compared)s)) AS yes) AS c
    WHERE {where} AND m.row = ANY (ARRAY(SELECT l.row FROM likely AS l)))
SELECT (SELECT count(*) FROM likely), (SELECT -max(l.distance) FROM likely AS l),
       (SELECT p.said FROM passing AS p), (SELECT p.ids FROM passing AS p), (SELECT p.contents FROM passing AS p),
       (SELECT p.rows FROM passing AS p), (SELECT p.statuses FROM passing AS p), {measured}


-- nearest_measured: the nearest of all rows that pass, with their status and their text
WITH passing AS MATERIALIZED (SELECT ARRAY(SELECT m.row FROM memories AS m WHERE {where}) AS rows),
near AS (SELECT x.row, x.part, -(x.vector::vector <#> %(vector)s::vector) AS cosine FROM vectors AS x
         WHERE x.account_id = %(account_id)s AND x.model = %(model)s AND x.row = ANY ((SELECT p.rows FROM passing AS p)::bigint[]) OFFSET 0),
best AS MATERIALIZED (SELECT y.row, (max(y.cosine) FILTER (WHERE y.part = 0) + max(y.cosine)) / 2 AS nearness
                      FROM near AS y GROUP BY y.row ORDER BY nearness DESC NULLS LAST LIMIT %(depth)s)
SELECT array_agg(b.row), array_agg(b.nearness::real), array_agg((array_position({statuses}, m.status) - 1)::smallint),
       array_agg(m.id::text), array_agg(m.content)
FROM memories AS m JOIN best AS b ON b.row = m.row
WHERE m.account_id = %(account_id)s AND m.row = ANY (ARRAY(SELECT c.row FROM best AS c))

-- by_the_graph: the rows that the vector index of an account leads to, as far as they pass. What the index is made for and how many are
-- wanted is written in: a plan for any account would not know that there is one.
FROM vectors AS x JOIN memories AS m ON m.account_id = x.account_id AND m.row = x.row
WHERE x.account_id = {own} AND x.model = {model} AND NOT x.waiting AND {where}
ORDER BY x.vector::halfvec({dimensions}) <=> %(half)s::halfvec({dimensions}) LIMIT {likely}

-- beside_the_graph: those that are not in it yet: all are measured, and only those looked up that are nearer than the last of `graph`
FROM (SELECT x.row, x.vector <=> %(half)s::halfvec AS distance FROM vectors AS x
      WHERE x.account_id = {own} AND x.model = {model} AND x.waiting ORDER BY distance OFFSET 0) AS w
JOIN memories AS m ON m.account_id = {own} AND m.row = w.row
WHERE {where} AND w.distance <= (SELECT CASE WHEN count(*) < {likely} THEN 'Infinity' ELSE max(g.distance) END FROM graph AS g)
ORDER BY w.distance LIMIT {likely}

-- nearest_indexed: the nearest by the account's own vector index, with what they say: whoever asks compares them next
WITH graph AS MATERIALIZED (SELECT x.row, m.status, m.id, m.content, x.vector <=> %(half)s::halfvec AS distance {by_the_graph}),
likely AS MATERIALIZED (SELECT g.row, g.status, g.id, g.content FROM graph AS g
                        UNION ALL (SELECT w.row, m.status, m.id, m.content {beside_the_graph})),
single AS (SELECT DISTINCT ON (l.row) l.row, l.status, l.id, l.content FROM likely AS l ORDER BY l.row),
measured AS (SELECT x.row, x.part, -(x.vector::vector <#> %(vector)s::vector) AS cosine
             FROM vectors AS x WHERE x.account_id = {own} AND x.model = {model} AND x.row = ANY (ARRAY(SELECT l.row FROM likely AS l)) OFFSET 0),
best AS (SELECT y.row, (max(y.cosine) FILTER (WHERE y.part = 0) + max(y.cosine)) / 2 AS nearness
         FROM measured AS y GROUP BY y.row ORDER BY nearness DESC LIMIT %(depth)s)
SELECT array_agg(b.row), array_agg(b.nearness::real), array_agg((array_position({statuses}, s.status) - 1)::smallint),
       array_agg(s.id::text), array_agg(s.content)
FROM best AS b JOIN single AS s ON s.row = b.row

-- nearest_likely: the same in half precision, for a search, which measures them again with their columns
WITH graph AS MATERIALIZED (SELECT x.row, x.vector <=> %(half)s::halfvec AS distance {by_the_graph})
SELECT array_agg(l.row), array_agg(l.distance::real)
FROM (SELECT g.row, g.distance FROM graph AS g UNION ALL (SELECT w.row, w.distance {beside_the_graph})) AS l

-- index_width: how far around the way an index scan looks
SELECT set_config('hnsw.ef_search', %(width)s, true)

-- in_part: how many rows pass a further condition, and the first of them by nearness; rows without a vector come last
WITH inside AS MATERIALIZED (SELECT m.row FROM memories AS m WHERE {where} AND {part}),
newest AS MATERIALIZED (SELECT i.row FROM inside AS i ORDER BY i.row DESC LIMIT %(looked_at)s),
measured AS (SELECT n.row, max(-(x.vector <#> %(half)s::halfvec)) FILTER (WHERE x.part = 0) AS whole,
                    max(-(x.vector <#> %(half)s::halfvec)) AS part
             FROM newest AS n LEFT JOIN vectors AS x
               ON x.account_id = %(account_id)s AND x.row = n.row AND x.model = %(model)s
             GROUP BY n.row)
SELECT (SELECT count(*) FROM inside),
       (SELECT array_agg(y.row) FROM (SELECT row FROM measured ORDER BY whole + part DESC NULLS LAST, row DESC LIMIT %(count)s) AS y),
       (SELECT array_agg(n.row) FROM newest AS n)

-- in_part_unmeasured: the same without a vector to be near to
WITH inside AS MATERIALIZED (SELECT m.row FROM memories AS m WHERE {where} AND {part}),
newest AS MATERIALIZED (SELECT i.row FROM inside AS i ORDER BY i.row DESC LIMIT %(looked_at)s)
SELECT (SELECT count(*) FROM inside),
       (SELECT array_agg(y.row) FROM (SELECT n.row FROM newest AS n ORDER BY n.row DESC LIMIT %(count)s) AS y),
       (SELECT array_agg(n.row) FROM newest AS n)

-- among: those of some rows that pass
SELECT array_agg(m.row) FROM memories AS m WHERE {where} AND m.row = ANY (%(rows)s)

-- edges_shown: edges to memories, each with whether the memory passes; a subquery of one value is looked up edge by edge
SELECT e.*, (SELECT m.row FROM memories AS m WHERE {where} AND m.row = e.target) IS NOT NULL
FROM ({edges}) AS e ({columns_of_edges})

-- allowed: how many rows pass
SELECT count(*) FROM memories AS m WHERE {where}

-- every: the rows that pass, as many as are asked for
SELECT ARRAY(SELECT m.row FROM memories AS m WHERE {where} LIMIT %(most)s)

-- chosen: some rows by their numbers
m.account_id = %(account_id)s AND m.row = ANY (%(rows)s)

-- seen: what the scorer may look at of a memory
m.row, m.facets, m.access_count, m.accessed_at, m.packed_words

-- beside: and what people said just before and after some of the rows, in the same session of the same place
UNION ALL
SELECT n.* FROM memories AS s CROSS JOIN LATERAL (
    -- Fenced, so that it is one short look into the index of turns a row, whatever is known of the tables.
    SELECT {seen} FROM memories AS m
    WHERE {where} AND m.session IS NOT NULL AND m.session = s.session AND m.place = s.place AND m.role = %(person)s
      AND m.position BETWEEN greatest(s.position - %(reach)s, 0) AND s.position + %(reach)s AND m.position <> s.position
    OFFSET 0) AS n
WHERE s.account_id = %(account_id)s AND s.row = ANY (%(talking)s) AND s.role = %(person)s AND s.session IS NOT NULL AND s.position >= 0

-- columns: everything the scorer may look at, of the chosen rows; a row may come twice
WITH passing AS MATERIALIZED (
    SELECT array_agg(t.row) AS rows, string_agg(t.facets, '') AS facets, array_agg(t.access_count) AS access_count,
           array_agg(t.accessed_at) AS accessed, array_agg(octet_length(t.packed_words) / 4) AS length,
           string_agg(t.packed_words, '') AS words
    FROM (SELECT {seen} FROM memories AS m WHERE {wanted}) AS t)
SELECT (SELECT p.rows FROM passing AS p), (SELECT p.facets FROM passing AS p), (SELECT p.access_count FROM passing AS p),
       (SELECT p.accessed FROM passing AS p), (SELECT p.length FROM passing AS p), (SELECT p.words FROM passing AS p)

-- columns_near: that, and how near the vectors of the rows are
{columns}, {measured}

-- holding: for each of some phrases, the rows that have all its terms and whether each may be shown
SELECT array_agg(h.phrase), array_agg(h.row), array_agg(h.shown)
FROM (SELECT p.phrase, g.row, m.row IS NOT NULL AS shown
      FROM (SELECT u.phrase, array_agg(u.word) AS marks
            FROM unnest(%(phrases)s::integer[], %(marks)s::integer[]) AS u (phrase, word)
            LEFT JOIN LATERAL (SELECT s.memories FROM terms AS s WHERE s.account_id = %(account_id)s AND s.word = u.word OFFSET 0) AS t ON true
            GROUP BY u.phrase HAVING count(t.memories) = count(*) AND min(t.memories) BETWEEN 1 AND %(rarest)s) AS p
      CROSS JOIN LATERAL words_all(p.marks, %(most)s) AS g
      LEFT JOIN memories AS m ON m.row = g.row AND {where}) AS h

-- by_importance: rows by delivery and type, the most important first
SELECT {listed} FROM memories AS m WHERE {where} AND {part}
ORDER BY m.importance::real DESC, m.created_at DESC, m.row DESC LIMIT %(limit)s

-- latest: rows stored or confirmed from a time on, the latest first
SELECT {listed} FROM memories AS m WHERE {where} AND {part} AND greatest(m.created_at, m.hit_at) >= %(from)s
ORDER BY greatest(m.created_at, m.hit_at) DESC, m.row DESC LIMIT %(limit)s

-- held_back: how many rows each gate of a search holds back
SELECT count(*) FILTER (WHERE NOT (m.place = ANY (%(places)s)) AND {reach}),
       count(*) FILTER (WHERE m.place = ANY (%(places)s) AND NOT ({current})),
       count(*) FILTER (WHERE m.place = ANY (%(places)s) AND {current} AND m.row = ANY (%(replaced)s::bigint[])),
       count(*) FILTER (WHERE m.place = ANY (%(places)s) AND m.status <> 'active'),
       count(*) FILTER (WHERE m.place = ANY (%(places)s) AND ({narrowed}) IS NOT TRUE),
       count(*) FILTER (WHERE {where})
FROM memories AS m WHERE m.account_id = %(account_id)s

-- embedded: every active memory with a vector of the model in use, in pages by row
SELECT array_agg(e.row), array_agg(e.place), string_agg(e.vector, '')
FROM (SELECT m.row, m.place, substring(halfvec_send(x.vector) FROM 5) AS vector
      FROM memories AS m JOIN vectors AS x ON x.account_id = m.account_id AND x.row = m.row AND x.part = 0
      WHERE m.account_id = %(account_id)s AND x.account_id = %(account_id)s AND x.model = %(model)s AND m.status = 'active'
        AND m.row > %(after)s
      ORDER BY m.row LIMIT %(limit)s) AS e

-- how_many_embedded: as many as those
SELECT count(*) FROM memories AS m JOIN vectors AS x ON x.account_id = m.account_id AND x.row = m.row AND x.part = 0
WHERE m.account_id = %(account_id)s AND x.account_id = %(account_id)s AND x.model = %(model)s AND m.status = 'active'

-- large_accounts: the accounts and models with so many embedded memories that an index pays
SELECT c.account_id, c.model, c.vectors, vector_dims(c.total) FROM centers AS c WHERE c.vectors >= %(least)s
ORDER BY c.vectors DESC

-- index_state: the partition that holds an account's vectors, and whether its index is there and valid
SELECT p.oid::regclass::text, (SELECT x.indisvalid FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
                               WHERE x.indrelid = p.oid AND c.relname = %(name)s)
FROM pg_inherits AS i JOIN pg_class AS p ON p.oid = i.inhrelid, pg_get_expr(p.relpartbound, p.oid) AS bound
WHERE i.inhparent = %(table)s::regclass
  AND satisfies_hash_partition(i.inhparent, substring(bound FROM 'modulus (\d+)')::integer,
                               substring(bound FROM 'remainder (\d+)')::integer, %(account_id)s::bigint)

-- make_index: a graph of one account's vectors of one model
CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {partition}
USING hnsw ((vector::halfvec({dimensions})) halfvec_cosine_ops) WITH (m = {links}, ef_construction = {width})
WHERE account_id = {account_id} AND model = {model} AND NOT waiting

-- add_vectors: the vectors of many rows, one after the other in one array. A few that come to an account with a vector index
-- wait beside it, as long as not too many do: putting one in takes as long as all the rest of storing it.
INSERT INTO vectors (account_id, row, part, model, vector, waiting)
SELECT %(account_id)s, u.row, u.part, %(model)s,
       (%(flat)s::real[])[(u.place - 1) * %(width)s + 1 : u.place * %(width)s]::halfvec,
       (SELECT %(few)s AND to_regclass(%(index)s) IS NOT NULL AND %(most)s > (
           SELECT count(*) FROM (SELECT FROM vectors AS w WHERE w.account_id = %(account_id)s AND w.waiting LIMIT %(most)s) AS waiting))
FROM unnest(%(rows)s::bigint[], %(parts)s::smallint[]) WITH ORDINALITY AS u (row, part, place)

-- take_vectors: remove the vectors of a row, and subtract them from what is counted
WITH gone AS (DELETE FROM vectors WHERE account_id = %(account_id)s AND row = %(row)s RETURNING model, part, vector),
many AS (SELECT g.model, count(*) AS vectors, count(*) FILTER (WHERE g.part = 0) AS wholes FROM gone AS g GROUP BY g.model),
placed AS (UPDATE rooms AS r SET held = r.held - n.vectors FROM many AS n
           WHERE r.account_id = %(account_id)s AND r.place = %(place)s AND r.model = n.model),
tallied AS (UPDATE tallies AS t SET held = t.held - n.wholes FROM many AS n
            WHERE t.account_id = %(account_id)s AND t.kind = 'model' AND t.name = n.model AND t.room = %(room)s)
UPDATE centers AS c SET vectors = c.vectors - 1, total = c.total - g.vector::vector
FROM gone AS g WHERE g.part = 0 AND c.account_id = %(account_id)s AND c.model = g.model

-- move_vectors: the vectors of a row are counted in the second of two places, no longer in the first
WITH many AS (SELECT v.model, count(*) AS vectors, count(*) FILTER (WHERE v.part = 0) AS wholes FROM vectors AS v
              WHERE v.account_id = %(account_id)s AND v.row = %(row)s GROUP BY v.model),
ways AS (SELECT u.place, u.room, CASE u.number WHEN 1 THEN -1 ELSE 1 END AS sign
         FROM unnest(%(places)s::text[], %(rooms)s::text[]) WITH ORDINALITY AS u (place, room, number)),
placed AS (INSERT INTO rooms AS r (account_id, place, model, held)
           SELECT %(account_id)s, w.place, n.model, w.sign * n.vectors FROM many AS n, ways AS w
           ON CONFLICT (account_id, place, model) DO UPDATE SET held = r.held + excluded.held)
INSERT INTO tallies AS t (account_id, kind, name, room, held)
SELECT %(account_id)s, 'model', n.model, w.room, sum(w.sign * n.wholes) FROM many AS n, ways AS w GROUP BY n.model, w.room
ON CONFLICT (account_id, kind, name, room) DO UPDATE SET held = t.held + excluded.held

-- count_events_of: the stored events of a memory are counted in a room, or no longer
INSERT INTO tallies AS t (account_id, kind, name, room, held)
SELECT %(account_id)s, 'event', '', %(room)s, %(sign)s * count(*) FROM events AS e
WHERE e.account_id = %(account_id)s AND e.memory = %(memory)s HAVING count(*) > 0
ON CONFLICT (account_id, kind, name, room) DO UPDATE SET held = t.held + excluded.held

-- count_returned: the stored events of memories that are inserted now
INSERT INTO tallies AS t (account_id, kind, name, room, held)
SELECT %(account_id)s, 'event', '', u.room, sum(n.events)
FROM unnest(%(ids)s::uuid[], %(rooms)s::text[]) AS u (id, room) CROSS JOIN LATERAL (
    SELECT count(*) AS events FROM events AS e WHERE e.account_id = %(account_id)s AND e.memory = u.id) AS n
WHERE n.events > 0 GROUP BY u.room
ON CONFLICT (account_id, kind, name, room) DO UPDATE SET held = t.held + excluded.held

-- count_tallies: more or fewer memories, tags, models or events are in some rooms
INSERT INTO tallies AS t (account_id, kind, name, room, held)
SELECT %(account_id)s, u.kind, u.name, u.room, u.many
FROM unnest(%(kinds)s::text[], %(names)s::text[], %(rooms)s::text[], %(tallied)s::bigint[]) AS u (kind, name, room, many)
ON CONFLICT (account_id, kind, name, room) DO UPDATE SET held = t.held + excluded.held

-- drop_tallies: what is not there any more is not counted
DELETE FROM tallies AS t WHERE t.account_id = %(account_id)s AND t.held <= 0
AND t.kind = ANY (%(kinds)s::text[]) AND t.name = ANY (%(names)s::text[]) AND t.room = ANY (%(rooms)s::text[])

-- drop_models: the same for models, of which there are few
DELETE FROM tallies WHERE account_id = %(account_id)s AND kind = 'model' AND held <= 0

-- count_words: more or fewer memories hold some words
INSERT INTO terms AS t (account_id, word, memories)
SELECT %(account_id)s, u.word, u.many FROM unnest(%(marks)s::integer[], %(met)s::integer[]) AS u (word, many)
ON CONFLICT (account_id, word) DO UPDATE SET memories = t.memories + excluded.memories

-- drop_words: words that no memory holds any more leave no trace
DELETE FROM terms WHERE account_id = %(account_id)s AND word = ANY (%(marks)s) AND memories <= 0

-- count_rooms: more or fewer memories or vectors are in some places
INSERT INTO rooms AS r (account_id, place, model, held)
SELECT %(account_id)s, u.place, u.model, u.many
FROM unnest(%(places)s::text[], %(models)s::text[], %(many)s::bigint[]) AS u (place, model, many)
ON CONFLICT (account_id, place, model) DO UPDATE SET held = r.held + excluded.held

-- drop_rooms: places without memories and vectors
DELETE FROM rooms WHERE account_id = %(account_id)s AND place = ANY (%(places)s) AND held <= 0

-- count_center: vectors of whole texts came or went
INSERT INTO centers AS c (account_id, model, vectors, total)
VALUES (%(account_id)s, %(model)s, %(vectors)s, %(total)s::vector)
ON CONFLICT (account_id, model) DO UPDATE SET vectors = c.vectors + excluded.vectors, total = c.total + excluded.total

-- drop_centers: without vectors there is no mean
DELETE FROM centers WHERE account_id = %(account_id)s AND vectors <= 0

-- count_account: memories and words came or went
UPDATE accounts SET held = held + %(held)s, words = words + %(length)s, replacing = replacing + %(replacing)s
WHERE account_id = %(account_id)s

-- grow: all of it at once, when memories only came
WITH embedded AS ({add_vectors}), worded AS ({count_words}), placed AS ({count_rooms}), tallied AS ({count_tallies}), centred AS ({count_center})
{count_account}
