-- Damage inside a row is found by a checksum; rows of before have none until they change.
ALTER TABLE memories ADD COLUMN checksum INTEGER;
