-- Drop values of a room. Between the asking and the dropping somebody may have given one a new life: what is swept is only
-- what has ended now. A script and not MULTI: a full server refuses a whole transaction, even one that makes room.
-- KEYS: the ends, the values. ARGV: now, "all" or "ended", the keys of the values in the same order.
-- Answers how many values went, and how many of them had not ended.
local dropped, live = 0, 0
for at = 2, #KEYS do
  local ends = string.match(redis.call('GETRANGE', KEYS[at], 0, 63), '^(%S+) ')
  local over = not ends or tonumber(ends) <= tonumber(ARGV[1])
  if over or ARGV[2] == 'all' then
    redis.call('ZREM', KEYS[1], ARGV[at + 1])
    dropped = dropped + redis.call('UNLINK', KEYS[at])
    live = live + (over and 0 or 1)
  end
end
return {dropped, live}
