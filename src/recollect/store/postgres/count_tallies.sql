-- Count everything that `stats` tells anew, from what is stored. Run after a migration from a schema without these counters.

WITH own AS (
    SELECT m.account_id, m.row, m.id, m.status, m.type, m.project, m.tags,
           CASE m.scope WHEN 'agent' THEN '["agent",' || to_json(coalesce(m.agent, '')) || ','
                        WHEN 'team' THEN '["team",' || to_json(coalesce(m.team, '')) || ','
                        WHEN 'user' THEN '["user",' || to_json(coalesce(m.user, '')) || ','
                        ELSE '["' || m.scope || '","",' END AS room
    FROM memories AS m)
INSERT INTO tallies (account_id, kind, name, room, held)
SELECT account_id, 'status', status, room, count(*) FROM own GROUP BY account_id, status, room
UNION ALL
SELECT account_id, 'type', type, room, count(*) FROM own WHERE status = 'active' GROUP BY account_id, type, room
UNION ALL
SELECT account_id, 'project', project, room, count(*) FROM own WHERE status = 'active' AND project IS NOT NULL
GROUP BY account_id, project, room
UNION ALL
SELECT account_id, 'tag', tag, room, count(*) FROM own, unnest(tags) AS tag GROUP BY account_id, tag, room
UNION ALL
SELECT o.account_id, 'model', v.model, o.room, count(*)
FROM own AS o JOIN vectors AS v ON v.account_id = o.account_id AND v.row = o.row AND v.part = 0 GROUP BY o.account_id, v.model, o.room
UNION ALL
SELECT o.account_id, 'event', '', o.room, count(*)
FROM own AS o JOIN events AS e ON e.account_id = o.account_id AND e.memory = o.id GROUP BY o.account_id, o.room;
