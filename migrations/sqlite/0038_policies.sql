-- Policies as they were put in force (rule 14). `terms` is what was signed, `document` the rules, both as JSON. Nothing here says
-- which are in force: the journal does, by the last event of their source.
CREATE TABLE policies (
    id        BLOB NOT NULL PRIMARY KEY,
    source    TEXT NOT NULL CHECK (source IN ('file', 'here')),
    terms     TEXT NOT NULL,
    document  TEXT NOT NULL,
    signature TEXT NOT NULL
) STRICT;

-- What each of their rules decided.
CREATE TABLE policy_uses (
    interaction_id BLOB    NOT NULL PRIMARY KEY REFERENCES interactions (id),
    policies_id    BLOB    NOT NULL,
    rule           TEXT    NOT NULL,
    at             INTEGER NOT NULL
) STRICT;

CREATE INDEX policy_uses_at ON policy_uses (at);

CREATE INDEX events_policies_set ON events (type, seq) WHERE type = 'policies.set';
CREATE INDEX events_policies_loaded ON events (type, seq) WHERE type = 'policies.loaded';
