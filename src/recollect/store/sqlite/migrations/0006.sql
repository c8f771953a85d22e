-- On whose behalf a change was made; who made it is the actor.
ALTER TABLE events ADD COLUMN origin TEXT NOT NULL DEFAULT 'person';
