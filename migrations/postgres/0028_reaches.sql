-- A way to get at a person is a destination, too.
ALTER TABLE destinations DROP CONSTRAINT destinations_kind_check;
ALTER TABLE destinations ADD CONSTRAINT destinations_kind_check
    CHECK (kind IN ('webhook', 'callback', 'slack', 'push', 'mail', 'ntfy', 'direct'));

-- `address` is sealed by the server's key, and empty once the reach has ended. `browser` is the hash of an address that
-- is one browser, whoever uses it.
CREATE TABLE reaches (
    id         UUID   NOT NULL PRIMARY KEY REFERENCES destinations (id),
    version    BIGINT NOT NULL,
    person_id  UUID   NOT NULL REFERENCES people (id),
    kind       TEXT   NOT NULL,
    label      TEXT   NOT NULL,
    address    BYTEA  NOT NULL,
    browser    BYTEA,
    created_at BIGINT NOT NULL,
    proven_at  BIGINT,
    ended_at   BIGINT,
    ended_why  TEXT,
    CHECK ((ended_at IS NULL) = (ended_why IS NULL))
);
CREATE INDEX reaches_person ON reaches (person_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX reaches_browser ON reaches (browser) WHERE ended_at IS NULL AND browser IS NOT NULL;

-- How far the journal was read for people, who are told of what happens after this; and the key by which push services
-- know this server.
CREATE TABLE reaching (
    one        INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    made_up_to BIGINT  NOT NULL,
    push_key   BYTEA
);
INSERT INTO reaching (one, made_up_to) SELECT 1, COALESCE(MAX(seq), 0) FROM events;
