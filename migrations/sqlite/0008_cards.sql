-- A channel of Slack is a destination, too. SQLite cannot change a CHECK, so the table is made anew, with those
-- that refer to it.
CREATE TABLE new_destinations (
    id            BLOB    NOT NULL PRIMARY KEY,
    kind          TEXT    NOT NULL CHECK (kind IN ('webhook', 'callback', 'slack')),
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
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
    CHECK ((disabled_at IS NULL) = (disabled_why IS NULL))
) STRICT;
INSERT INTO new_webhook_endpoints
SELECT id, version, name, url, topics, sync_only, format, secret, previous_secret, previous_until, created_at,
    disabled_at, disabled_why, deleted_at, made_up_to, stopped_after
FROM webhook_endpoints;

CREATE TABLE new_callback_places (
    id       BLOB NOT NULL PRIMARY KEY REFERENCES new_destinations (id),
    agent_id BLOB NOT NULL REFERENCES agents (id),
    origin   TEXT NOT NULL
) STRICT;
INSERT INTO new_callback_places SELECT id, agent_id, origin FROM callback_places;

DROP TABLE webhook_endpoints;
DROP TABLE callback_places;
DROP TABLE destinations;
ALTER TABLE new_destinations RENAME TO destinations;
ALTER TABLE new_webhook_endpoints RENAME TO webhook_endpoints;
ALTER TABLE new_callback_places RENAME TO callback_places;

-- Made with the first obligation.
CREATE TABLE slack_channels (
    id      BLOB NOT NULL PRIMARY KEY REFERENCES destinations (id),
    channel TEXT NOT NULL
) STRICT;

-- Where an interaction is shown. `card_channel` is there from the beginning, the rest once it is posted. One message
-- can show several notifications.
ALTER TABLE interactions ADD COLUMN card_channel TEXT;
ALTER TABLE interactions ADD COLUMN card_ts TEXT;
ALTER TABLE interactions ADD COLUMN card_permalink TEXT;
CREATE INDEX interactions_card ON interactions (card_ts, card_channel) WHERE card_ts IS NOT NULL;

-- Whether a try that failed may have arrived all the same.
ALTER TABLE delivery_attempts ADD COLUMN may_have_arrived INTEGER NOT NULL DEFAULT 0;
