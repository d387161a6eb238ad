-- Silence climbs (rule 17). Where a blocker stands on its ladder: the number of the rung that comes next, and when; NULL
-- when none does. A blocker that waits already begins at its first rung.
ALTER TABLE interactions ADD COLUMN rung INTEGER NOT NULL DEFAULT 0;
ALTER TABLE interactions ADD COLUMN next_rung_at INTEGER;
UPDATE interactions SET next_rung_at = created_at WHERE state = 'pending';
CREATE INDEX interactions_climb ON interactions (next_rung_at) WHERE state = 'pending' AND next_rung_at IS NOT NULL;

-- How silence climbs in a team: a JSON object of rungs, NULL by default. `owner_id` is the team's, or 16 zero bytes for
-- everyone.
CREATE TABLE ladders (
    owner_id   BLOB    NOT NULL PRIMARY KEY,
    version    INTEGER NOT NULL,
    ladder     TEXT,
    changed_at INTEGER NOT NULL
) STRICT;

-- When a person is left alone, as JSON.
CREATE TABLE quiet_hours (
    person_id  BLOB    NOT NULL PRIMARY KEY REFERENCES people (id),
    quiet      TEXT    NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT;

-- Messages to people of the last hour or so: a person gets only so many.
CREATE TABLE messages_sent (
    person_id      BLOB    NOT NULL,
    at             INTEGER NOT NULL,
    interaction_id BLOB    NOT NULL
) STRICT;
CREATE INDEX messages_sent_person ON messages_sent (person_id, at);

-- What a person was not told of, and will be with others.
CREATE TABLE held_back (
    person_id      BLOB    NOT NULL REFERENCES people (id),
    interaction_id BLOB    NOT NULL REFERENCES interactions (id),
    rung           INTEGER NOT NULL,
    until          INTEGER NOT NULL,
    why            TEXT    NOT NULL,
    PRIMARY KEY (person_id, interaction_id)
) STRICT;
CREATE INDEX held_back_until ON held_back (until);
CREATE INDEX held_back_interaction ON held_back (interaction_id);

-- Who has opened a blocker, and when first.
CREATE TABLE seen_by (
    interaction_id BLOB    NOT NULL REFERENCES interactions (id),
    person_id      BLOB    NOT NULL REFERENCES people (id),
    at             INTEGER NOT NULL,
    PRIMARY KEY (interaction_id, person_id)
) STRICT;
