-- Counting accesses is no event: a number tells every process which rows were counted since it looked.

ALTER TABLE memories ADD COLUMN touched INTEGER;                -- the number of the last count of accesses this row was in
CREATE INDEX memories_touched ON memories (touched) WHERE touched IS NOT NULL;
