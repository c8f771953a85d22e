-- Keep a value, and its end in the list of the room's ends; either both or, when the value is not the expected one, nothing.
-- KEYS: the value, the ends. ARGV: key, text, end, lifetime (ms), the end up to which others are forgotten,
-- expected: "" is any, "-" is none, else the SHA-1 of the text that must be there.
-- Answers {1}, or {0, the text that is there}. Numbers stay as they came: Lua would round an end when it prints it.
if ARGV[6] ~= '' then
  local held = redis.call('GET', KEYS[1])
  if (held and redis.sha1hex(held) or '-') ~= ARGV[6] then
    return {0, held}
  end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[4]) then
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
end
return {1}
