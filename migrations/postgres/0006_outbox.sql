-- What goes out. A destination is a webhook endpoint or a place where an agent is called back; the columns
-- beside its kind say how it has been doing.
CREATE TABLE destinations (
    id            UUID   NOT NULL PRIMARY KEY,
    kind          TEXT   NOT NULL CHECK (kind IN ('webhook', 'callback')),
    failures      BIGINT NOT NULL DEFAULT 0,
    failing_since BIGINT,
    resume_at     BIGINT
);

-- `topics` are names with commas between them, none = all. Secrets are sealed by the server's key.
CREATE TABLE webhook_endpoints (
    id              UUID    NOT NULL PRIMARY KEY REFERENCES destinations (id),
    version         BIGINT  NOT NULL,
    name            TEXT    NOT NULL,
    url             TEXT    NOT NULL,
    topics          TEXT    NOT NULL,
    sync_only       BOOLEAN NOT NULL,
    format          TEXT    NOT NULL CHECK (format IN ('standard', 'flat')),
    secret          BYTEA   NOT NULL,
    previous_secret BYTEA,
    previous_until  BIGINT,
    created_at      BIGINT  NOT NULL,
    disabled_at     BIGINT,
    disabled_why    TEXT,
    deleted_at      BIGINT,
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
    CHECK ((disabled_at IS NULL) = (disabled_why IS NULL))
);

-- Scheme, host and port of addresses that an agent names. Made with the first obligation.
CREATE TABLE callback_places (
    id       UUID NOT NULL PRIMARY KEY REFERENCES destinations (id),
    agent_id UUID NOT NULL REFERENCES agents (id),
    origin   TEXT NOT NULL
);

ALTER TABLE interactions ADD COLUMN callback TEXT;

-- Obligations, committed with the event that made them. While one is being sent, `next_at` is the end of
-- the lease, and only the worker that knows the number of the lease may say what came of it.
CREATE TABLE outbox (
    id             UUID   NOT NULL PRIMARY KEY,
    destination_id UUID   NOT NULL,
    event_seq      BIGINT NOT NULL,
    state          TEXT   NOT NULL CHECK (state IN ('due', 'sending', 'delivered', 'dead', 'unknown')),
    tries          BIGINT NOT NULL DEFAULT 0,
    lease          BIGINT NOT NULL DEFAULT 0,
    next_at        BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    ended_at       BIGINT,
    last_error     TEXT
);

CREATE INDEX outbox_due ON outbox (destination_id, next_at) WHERE state IN ('due', 'sending');
CREATE INDEX outbox_destination ON outbox (destination_id, id);
CREATE INDEX outbox_open ON outbox (id) WHERE state <> 'delivered';

-- Every try, numbered by its lease. One without an end was interrupted: nobody knows what came of it.
CREATE TABLE delivery_attempts (
    delivery_id UUID   NOT NULL,
    number      BIGINT NOT NULL,
    started_at  BIGINT NOT NULL,
    latency     BIGINT,
    status      BIGINT,
    error       TEXT,
    body        TEXT,
    PRIMARY KEY (delivery_id, number)
);
