-- What lists show of an interaction: JSON of bounded size, as the program writes it with every version. Rows from
-- before get theirs when the program starts.
ALTER TABLE interactions ADD COLUMN brief TEXT;
CREATE INDEX interactions_without_brief ON interactions (id) WHERE brief IS NULL;

-- What a request takes in memory while a rule decides about it, in bytes: only so much may wait in a task.
ALTER TABLE interactions ADD COLUMN weight INTEGER NOT NULL DEFAULT 0;
UPDATE interactions SET weight = octet_length(request) WHERE state = 'pending';

-- How many bytes each agent has had stored in a day (days after 1 January 1970, UTC).
CREATE TABLE agent_usage (
    agent_id BLOB    NOT NULL REFERENCES agents (id),
    day      INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    PRIMARY KEY (agent_id, day)
) STRICT;
