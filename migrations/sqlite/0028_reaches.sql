-- A way to get at a person is a destination, too. SQLite cannot change a CHECK, so the table is made anew, with those
-- that refer to it.
CREATE TABLE new_destinations (
    id            BLOB    NOT NULL PRIMARY KEY,
    kind          TEXT    NOT NULL
        CHECK (kind IN ('webhook', 'callback', 'slack', 'push', 'mail', 'ntfy', 'direct')),
    failures      INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    resume_at     INTEGER
) STRICT;
INSERT INTO new_destinations SELECT id, kind, failures, failing_since, resume_at FROM destinations;

CREATE TABLE new_webhook_endpoints (
    id              BLOB    NOT NULL PRIMARY KEY REFERENCES new_destinations (id),
    version         INTEGER NOT NULL,
    name            TEXT    NOT NULL,
    url             TEXT    NOT NULL,
    topics          TEXT    NOT NULL,
    sync_only       INTEGER NOT NULL,
    format          TEXT    NOT NULL CHECK (format IN ('standard', 'flat')),
    secret          BLOB    NOT NULL,
    previous_secret BLOB,
    previous_until  INTEGER,
    created_at      INTEGER NOT NULL,
    disabled_at     INTEGER,
    disabled_why    TEXT,
    deleted_at      INTEGER,
    made_up_to      INTEGER NOT NULL DEFAULT 0,
    stopped_after   INTEGER,
    teams           TEXT,
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
    CHECK ((disabled_at IS NULL) = (disabled_why IS NULL))
) STRICT;
INSERT INTO new_webhook_endpoints
SELECT id, version, name, url, topics, sync_only, format, secret, previous_secret, previous_until, created_at,
    disabled_at, disabled_why, deleted_at, made_up_to, stopped_after, teams
FROM webhook_endpoints;

CREATE TABLE new_callback_places (
    id       BLOB NOT NULL PRIMARY KEY REFERENCES new_destinations (id),
    agent_id BLOB NOT NULL REFERENCES agents (id),
    origin   TEXT NOT NULL
) STRICT;
INSERT INTO new_callback_places SELECT id, agent_id, origin FROM callback_places;

CREATE TABLE new_slack_channels (
    id      BLOB NOT NULL PRIMARY KEY REFERENCES new_destinations (id),
    channel TEXT NOT NULL
) STRICT;
INSERT INTO new_slack_channels SELECT id, channel FROM slack_channels;

DROP TABLE webhook_endpoints;
DROP TABLE callback_places;
DROP TABLE slack_channels;
DROP TABLE destinations;
ALTER TABLE new_destinations RENAME TO destinations;
ALTER TABLE new_webhook_endpoints RENAME TO webhook_endpoints;
ALTER TABLE new_callback_places RENAME TO callback_places;
ALTER TABLE new_slack_channels RENAME TO slack_channels;

-- `address` is sealed by the server's key, and empty once the reach has ended. `browser` is the hash of an address that
-- is one browser, whoever uses it.
CREATE TABLE reaches (
    id         BLOB    NOT NULL PRIMARY KEY REFERENCES destinations (id),
    version    INTEGER NOT NULL,
    person_id  BLOB    NOT NULL REFERENCES people (id),
    kind       TEXT    NOT NULL,
    label      TEXT    NOT NULL,
    address    BLOB    NOT NULL,
    browser    BLOB,
    created_at INTEGER NOT NULL,
    proven_at  INTEGER,
    ended_at   INTEGER,
    ended_why  TEXT,
    CHECK ((ended_at IS NULL) = (ended_why IS NULL))
) STRICT;
CREATE INDEX reaches_person ON reaches (person_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX reaches_browser ON reaches (browser) WHERE ended_at IS NULL AND browser IS NOT NULL;

-- How far the journal was read for people, who are told of what happens after this; and the key by which push services
-- know this server.
CREATE TABLE reaching (
    one        INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    made_up_to INTEGER NOT NULL,
    push_key   BLOB
) STRICT;
INSERT INTO reaching (one, made_up_to) SELECT 1, COALESCE(MAX(seq), 0) FROM events;
