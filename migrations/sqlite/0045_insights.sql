-- What ended, in numbers: for each day of asking (in UTC), agent and team. `counts` is how many of each kind were asked in each
-- hour, and how many ended how, by whom, and after how long (`crates/store/src/rows/insights.rs`). It has no words. The team is all
-- zeros where everyone is asked.
CREATE TABLE insights (
    day      INTEGER NOT NULL,
    agent_id BLOB    NOT NULL REFERENCES agents (id),
    team_id  BLOB    NOT NULL,
    counts   BLOB    NOT NULL,
    PRIMARY KEY (day, agent_id, team_id)
) STRICT;

-- Whoever has answered something that is counted, by the name that they had then: not all of them are people or tokens.
CREATE TABLE insight_responders (
    id   BLOB NOT NULL PRIMARY KEY,
    name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far the journal is counted, changed with the counts alone. It begins at its first event, so what was there before is counted
-- as what comes after.
CREATE TABLE insight_position (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL
) STRICT;
INSERT INTO insight_position (one, seq) VALUES (1, 0);

-- What people are asked most: it holds all that is read. What waits is not in it, nor what a rule decided as it was asked.
CREATE INDEX interactions_asked_most ON interactions (id, agent_id, team_id, alike, outcome, closed_at, created_at)
    WHERE alike IS NOT NULL AND closed_at > created_at;
