-- Tokens end, and say who made them: `made_by` is an actor as in events. Of those from before neither is known.
ALTER TABLE tokens ADD COLUMN expires_at BIGINT;
ALTER TABLE tokens ADD COLUMN made_by TEXT;

-- The last link that somebody made for a person who had a password, by whom, and whether they were told.
ALTER TABLE people ADD COLUMN linked_at BIGINT;
ALTER TABLE people ADD COLUMN linked_by TEXT;
ALTER TABLE people ADD COLUMN link_told BOOLEAN NOT NULL DEFAULT FALSE;

-- A session belongs to the name the server was reached by, and knows when a password was last given. Of those
-- from before neither is known, so they end: everybody signs in once more.
DELETE FROM browser_sessions;
ALTER TABLE browser_sessions ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE browser_sessions ADD COLUMN proven_at BIGINT NOT NULL DEFAULT 0;
