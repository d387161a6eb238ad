-- Passwords, and sessions that people can see and end. `name_key` is the name in lower case: people sign
-- in by their name. Of several with the same name all but the first get the end of their id added.
ALTER TABLE people ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE people ADD COLUMN name_key TEXT;
ALTER TABLE people ADD COLUMN password_hash TEXT;
ALTER TABLE people ADD COLUMN disabled_at INTEGER;
UPDATE people SET name = name || ' ' || lower(substr(hex(id), 21))
WHERE EXISTS (SELECT 1 FROM people o WHERE lower(o.name) = lower(people.name) AND o.id < people.id);
UPDATE people SET name_key = lower(name);
CREATE UNIQUE INDEX people_name_key ON people (name_key);

-- Sessions from before are gone: nobody knows when or where they began.
DROP TABLE browser_sessions;
CREATE TABLE browser_sessions (
    id         BLOB    NOT NULL PRIMARY KEY,
    hash       BLOB    NOT NULL UNIQUE,
    person_id  BLOB    NOT NULL REFERENCES people (id),
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    browser    TEXT    NOT NULL,
    address    TEXT    NOT NULL
) STRICT;

CREATE INDEX browser_sessions_person ON browser_sessions (person_id);
