-- A session begins before its person is known, and keeps what the way in needs: `data` is a JSON object. Its
-- cookie has another form now, so sessions from before end: everybody signs in once more.
DROP TABLE browser_sessions;
CREATE TABLE browser_sessions (
    id         BLOB    NOT NULL PRIMARY KEY,
    hash       BLOB    NOT NULL UNIQUE,
    data       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    person_id  BLOB    REFERENCES people (id),
    proven_at  INTEGER NOT NULL DEFAULT 0,
    browser    TEXT    NOT NULL DEFAULT '',
    address    TEXT    NOT NULL DEFAULT '',
    host       TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX browser_sessions_person ON browser_sessions (person_id);
