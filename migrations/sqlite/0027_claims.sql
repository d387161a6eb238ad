-- Who is on a blocker and whom it is for, as JSON; `claimed_until` is when the claim runs out, for the scan.
ALTER TABLE interactions ADD COLUMN claim TEXT;
ALTER TABLE interactions ADD COLUMN claimed_until INTEGER;
ALTER TABLE interactions ADD COLUMN addressee TEXT;

CREATE INDEX interactions_claimed ON interactions (claimed_until)
    WHERE state = 'pending' AND claimed_until IS NOT NULL;

-- What a person does not want to see until then. It is theirs alone, so no event tells of it.
CREATE TABLE snoozes (
    person_id      BLOB    NOT NULL REFERENCES people (id),
    interaction_id BLOB    NOT NULL REFERENCES interactions (id),
    until          INTEGER NOT NULL,
    PRIMARY KEY (person_id, interaction_id)
) STRICT;

CREATE INDEX snoozes_until ON snoozes (until);
