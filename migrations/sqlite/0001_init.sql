-- Times are unix milliseconds, ids are 16 bytes, hashes are 32 bytes.
-- Shipped migrations are never edited: a change is a new file, on both databases.

CREATE TABLE agents (
    id         BLOB    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

-- Only the SHA-256 of a token is kept. `agent_id` is set exactly for agent tokens.
CREATE TABLE tokens (
    id         BLOB    NOT NULL PRIMARY KEY,
    kind       TEXT    NOT NULL CHECK (kind IN ('agent', 'responder')),
    name       TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE,
    agent_id   BLOB    REFERENCES agents (id),
    created_at INTEGER NOT NULL,
    CHECK ((kind = 'agent') = (agent_id IS NOT NULL))
) STRICT;

CREATE TABLE people (
    id         BLOB    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    role       TEXT    NOT NULL CHECK (role IN ('viewer', 'responder', 'admin')),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sign_in_links (
    hash       BLOB    NOT NULL PRIMARY KEY,
    person_id  BLOB    NOT NULL REFERENCES people (id),
    expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE browser_sessions (
    hash       BLOB    NOT NULL PRIMARY KEY,
    person_id  BLOB    NOT NULL REFERENCES people (id),
    expires_at INTEGER NOT NULL
) STRICT;

-- `request` and `detail` are the whole truth as JSON; the columns beside them are what queries need.
CREATE TABLE interactions (
    id         BLOB    NOT NULL PRIMARY KEY,
    version    INTEGER NOT NULL,
    agent_id   BLOB    NOT NULL REFERENCES agents (id),
    kind       TEXT    NOT NULL,
    mode       TEXT    NOT NULL,
    urgent     INTEGER NOT NULL,
    session_id TEXT,
    task_id    TEXT,
    request    TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    outcome    TEXT,
    detail     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    closed_at  INTEGER
) STRICT;

-- The deadline scan and the panel read pending rows only, however many are closed.
CREATE INDEX interactions_due ON interactions (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX interactions_pending ON interactions (id) WHERE state = 'pending';
CREATE INDEX interactions_closed ON interactions (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX interactions_agent ON interactions (agent_id, session_id, id);

CREATE TABLE events (
    seq            INTEGER NOT NULL PRIMARY KEY,
    id             BLOB    NOT NULL UNIQUE,
    at             INTEGER NOT NULL,
    type           TEXT    NOT NULL,
    interaction_id BLOB    REFERENCES interactions (id),
    task_id        TEXT,
    actor          TEXT    NOT NULL,
    payload        TEXT    NOT NULL,
    prev_hash      BLOB    NOT NULL,
    hash           BLOB    NOT NULL
) STRICT;

CREATE INDEX events_interaction ON events (interaction_id, seq);

CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;
