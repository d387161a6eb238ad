-- Answers that stand for the same question. `terms` is what was decided, signed, as JSON; `kept` question and answer, as JSON,
-- NULL once they are erased. The other columns only find it: what is signed decides. `question` is a digest of the question.
CREATE TABLE memories (
    id           BLOB    NOT NULL PRIMARY KEY,
    agent_id     BLOB    REFERENCES agents (id),
    team_id      BLOB    REFERENCES teams (id),
    question     TEXT,
    holder_kind  TEXT    NOT NULL CHECK (holder_kind IN ('person', 'token')),
    holder_id    BLOB    NOT NULL,
    made_from    BLOB    NOT NULL REFERENCES interactions (id),
    expires_at   INTEGER NOT NULL,
    terms        TEXT    NOT NULL,
    kept         TEXT,
    signature    TEXT    NOT NULL,
    uses         INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER,
    ended_at     INTEGER,
    ended_why    TEXT
) STRICT;

CREATE INDEX memories_question ON memories (question) WHERE ended_at IS NULL AND question IS NOT NULL;
-- One answer of each holder stands for a question of an agent, or of all that ask a team.
CREATE UNIQUE INDEX memories_one
    ON memories (holder_id, question, (COALESCE(team_id, x'')), (COALESCE(agent_id, x'')))
    WHERE ended_at IS NULL AND question IS NOT NULL;
CREATE INDEX memories_holder ON memories (holder_id) WHERE ended_at IS NULL;
CREATE INDEX memories_team ON memories (team_id) WHERE team_id IS NOT NULL AND ended_at IS NULL;
CREATE INDEX memories_agent ON memories (agent_id) WHERE agent_id IS NOT NULL AND ended_at IS NULL;
CREATE INDEX memories_made_from ON memories (made_from);

-- What each of them answered.
CREATE TABLE memory_uses (
    interaction_id BLOB    NOT NULL PRIMARY KEY REFERENCES interactions (id),
    memory_id      BLOB    NOT NULL REFERENCES memories (id),
    at             INTEGER NOT NULL
) STRICT;

CREATE INDEX memory_uses_of ON memory_uses (memory_id, at);

-- Equal for approvals that are the same to a person; NULL for other kinds, for those of before, and once the words are erased.
ALTER TABLE interactions ADD COLUMN alike BLOB;
CREATE INDEX interactions_alike ON interactions (agent_id, alike, closed_at, id)
    WHERE alike IS NOT NULL AND closed_at IS NOT NULL;

-- After which approval a person was offered a grant for approvals like it. The team is all zeros where everyone is asked.
CREATE TABLE suggestions (
    person_id      BLOB    NOT NULL REFERENCES people (id),
    agent_id       BLOB    NOT NULL REFERENCES agents (id),
    team_id        BLOB    NOT NULL,
    alike          BLOB    NOT NULL,
    interaction_id BLOB    NOT NULL REFERENCES interactions (id),
    at             INTEGER NOT NULL,
    declined_at    INTEGER,
    PRIMARY KEY (person_id, agent_id, team_id, alike)
) STRICT, WITHOUT ROWID;

CREATE INDEX suggestions_interaction ON suggestions (interaction_id);
