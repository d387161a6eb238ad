-- A session begins before its person is known, and keeps what the way in needs: `data` is a JSON object. Its
-- cookie has another form now, so sessions from before end: everybody signs in once more.
DROP TABLE browser_sessions;
CREATE TABLE browser_sessions (
    id         UUID   NOT NULL PRIMARY KEY,
    hash       BYTEA  NOT NULL UNIQUE,
    data       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    person_id  UUID   REFERENCES people (id),
    proven_at  BIGINT NOT NULL DEFAULT 0,
    browser    TEXT   NOT NULL DEFAULT '',
    address    TEXT   NOT NULL DEFAULT '',
    host       TEXT   NOT NULL DEFAULT ''
);

CREATE INDEX browser_sessions_person ON browser_sessions (person_id);
