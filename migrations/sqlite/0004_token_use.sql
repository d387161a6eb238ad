-- When a token was last used (to the minute), and since when it no longer works.
ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;
ALTER TABLE tokens ADD COLUMN revoked_at INTEGER;
