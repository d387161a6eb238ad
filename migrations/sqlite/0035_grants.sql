-- Standing approvals (rule 15). `terms` is what was decided, signed, as JSON; `scope` what it covers, in the agent's words, as
-- JSON, NULL once it is erased. The other columns only find it: what is signed decides.
CREATE TABLE grants (
    id           BLOB    NOT NULL PRIMARY KEY,
    agent_id     BLOB    NOT NULL REFERENCES agents (id),
    team_id      BLOB    REFERENCES teams (id),
    session_id   TEXT,
    tool         TEXT,
    holder_kind  TEXT    NOT NULL CHECK (holder_kind IN ('person', 'token')),
    holder_id    BLOB    NOT NULL,
    made_from    BLOB    NOT NULL REFERENCES interactions (id),
    expires_at   INTEGER NOT NULL,
    terms        TEXT    NOT NULL,
    scope        TEXT,
    signature    TEXT    NOT NULL,
    uses         INTEGER NOT NULL DEFAULT 0,
    last_used_at INTEGER,
    ended_at     INTEGER,
    ended_why    TEXT
) STRICT;

CREATE INDEX grants_in_force ON grants (agent_id, tool) WHERE ended_at IS NULL;
CREATE INDEX grants_holder ON grants (holder_id) WHERE ended_at IS NULL;
CREATE INDEX grants_team ON grants (team_id) WHERE team_id IS NOT NULL AND ended_at IS NULL;
CREATE INDEX grants_made_from ON grants (made_from);

-- What each of them approved.
CREATE TABLE grant_uses (
    interaction_id BLOB    NOT NULL PRIMARY KEY REFERENCES interactions (id),
    grant_id       BLOB    NOT NULL REFERENCES grants (id),
    at             INTEGER NOT NULL
) STRICT;

CREATE INDEX grant_uses_of ON grant_uses (grant_id, at);
