-- What goes out. A destination is a webhook endpoint or a place where an agent is called back; the columns
-- beside its kind say how it has been doing.
CREATE TABLE destinations (
    id            BLOB    NOT NULL PRIMARY KEY,
    kind          TEXT   NOT NULL CHECK (kind IN ('webhook', 'callback')),
    failures      INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    resume_at     INTEGER
) STRICT;

-- `topics` are names with commas between them, none = all. Secrets are sealed by the server's key.
CREATE TABLE webhook_endpoints (
    id              BLOB     NOT NULL PRIMARY KEY REFERENCES destinations (id),
    version         INTEGER  NOT NULL,
    name            TEXT    NOT NULL,
    url             TEXT    NOT NULL,
    topics          TEXT    NOT NULL,
    sync_only       INTEGER NOT NULL,
    format          TEXT    NOT NULL CHECK (format IN ('standard', 'flat')),
    secret          BLOB    NOT NULL,
    previous_secret BLOB,
    previous_until  INTEGER,
    created_at      INTEGER  NOT NULL,
    disabled_at     INTEGER,
    disabled_why    TEXT,
    deleted_at      INTEGER,
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
    CHECK ((disabled_at IS NULL) = (disabled_why IS NULL))
) STRICT;

-- Scheme, host and port of addresses that an agent names. Made with the first obligation.
CREATE TABLE callback_places (
    id       BLOB NOT NULL PRIMARY KEY REFERENCES destinations (id),
    agent_id BLOB NOT NULL REFERENCES agents (id),
    origin   TEXT NOT NULL
) STRICT;

ALTER TABLE interactions ADD COLUMN callback TEXT;

-- Obligations, committed with the event that made them. While one is being sent, `next_at` is the end of
-- the lease, and only the worker that knows the number of the lease may say what came of it.
CREATE TABLE outbox (
    id             BLOB    NOT NULL PRIMARY KEY,
    destination_id BLOB    NOT NULL,
    event_seq      INTEGER NOT NULL,
    state          TEXT   NOT NULL CHECK (state IN ('due', 'sending', 'delivered', 'dead', 'unknown')),
    tries          INTEGER NOT NULL DEFAULT 0,
    lease          INTEGER NOT NULL DEFAULT 0,
    next_at        INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    ended_at       INTEGER,
    last_error     TEXT
) STRICT;

CREATE INDEX outbox_due ON outbox (destination_id, next_at) WHERE state IN ('due', 'sending');
CREATE INDEX outbox_destination ON outbox (destination_id, id);
CREATE INDEX outbox_open ON outbox (id) WHERE state <> 'delivered';

-- Every try, numbered by its lease. One without an end was interrupted: nobody knows what came of it.
CREATE TABLE delivery_attempts (
    delivery_id BLOB    NOT NULL,
    number      INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    latency     INTEGER,
    status      INTEGER,
    error       TEXT,
    body        TEXT,
    PRIMARY KEY (delivery_id, number)
) STRICT;
