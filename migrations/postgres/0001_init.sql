-- Times are unix milliseconds, hashes are 32 bytes. JSON is TEXT: the journal hashes it byte for byte.
-- Shipped migrations are never edited: a change is a new file, on both databases.

CREATE TABLE agents (
    id         UUID   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);

-- Only the SHA-256 of a token is kept. `agent_id` is set exactly for agent tokens.
CREATE TABLE tokens (
    id         UUID   NOT NULL PRIMARY KEY,
    kind       TEXT   NOT NULL CHECK (kind IN ('agent', 'responder')),
    name       TEXT   NOT NULL,
    hash       BYTEA  NOT NULL UNIQUE,
    agent_id   UUID   REFERENCES agents (id),
    created_at BIGINT NOT NULL,
    CHECK ((kind = 'agent') = (agent_id IS NOT NULL))
);

CREATE TABLE people (
    id         UUID   NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    role       TEXT   NOT NULL CHECK (role IN ('viewer', 'responder', 'admin')),
    created_at BIGINT NOT NULL
);

CREATE TABLE sign_in_links (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    person_id  UUID   NOT NULL REFERENCES people (id),
    expires_at BIGINT NOT NULL
);

CREATE TABLE browser_sessions (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    person_id  UUID   NOT NULL REFERENCES people (id),
    expires_at BIGINT NOT NULL
);

-- `request` and `detail` are the whole truth as JSON; the columns beside them are what queries need.
CREATE TABLE interactions (
    id         UUID    NOT NULL PRIMARY KEY,
    version    BIGINT  NOT NULL,
    agent_id   UUID    NOT NULL REFERENCES agents (id),
    kind       TEXT    NOT NULL,
    mode       TEXT    NOT NULL,
    urgent     BOOLEAN NOT NULL,
    session_id TEXT,
    task_id    TEXT,
    request    TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    outcome    TEXT,
    detail     TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT,
    closed_at  BIGINT
);

-- The deadline scan and the panel read pending rows only, however many are closed.
CREATE INDEX interactions_due ON interactions (expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
CREATE INDEX interactions_pending ON interactions (id) WHERE state = 'pending';
CREATE INDEX interactions_closed ON interactions (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX interactions_agent ON interactions (agent_id, session_id, id);

CREATE TABLE events (
    seq            BIGINT NOT NULL PRIMARY KEY,
    id             UUID   NOT NULL UNIQUE,
    at             BIGINT NOT NULL,
    type           TEXT   NOT NULL,
    interaction_id UUID   REFERENCES interactions (id),
    task_id        TEXT,
    actor          TEXT   NOT NULL,
    payload        TEXT   NOT NULL,
    prev_hash      BYTEA  NOT NULL,
    hash           BYTEA  NOT NULL
);

CREATE INDEX events_interaction ON events (interaction_id, seq);

CREATE FUNCTION events_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the journal is append-only';
END
$$;

CREATE TRIGGER events_no_change BEFORE UPDATE OR DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION events_append_only();
CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION events_append_only();
