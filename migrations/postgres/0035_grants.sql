-- Standing approvals (rule 15). `terms` is what was decided, signed, as JSON; `scope` what it covers, in the agent's words, as
-- JSON, NULL once it is erased. The other columns only find it: what is signed decides.
CREATE TABLE grants (
    id           UUID   NOT NULL PRIMARY KEY,
    agent_id     UUID   NOT NULL REFERENCES agents (id),
    team_id      UUID   REFERENCES teams (id),
    session_id   TEXT,
    tool         TEXT,
    holder_kind  TEXT   NOT NULL CHECK (holder_kind IN ('person', 'token')),
    holder_id    UUID   NOT NULL,
    made_from    UUID   NOT NULL REFERENCES interactions (id),
    expires_at   BIGINT NOT NULL,
    terms        TEXT   NOT NULL,
    scope        TEXT,
    signature    TEXT   NOT NULL,
    uses         BIGINT NOT NULL DEFAULT 0,
    last_used_at BIGINT,
    ended_at     BIGINT,
    ended_why    TEXT
);

CREATE INDEX grants_in_force ON grants (agent_id, tool) WHERE ended_at IS NULL;
CREATE INDEX grants_holder ON grants (holder_id) WHERE ended_at IS NULL;
CREATE INDEX grants_team ON grants (team_id) WHERE team_id IS NOT NULL AND ended_at IS NULL;
CREATE INDEX grants_made_from ON grants (made_from);

-- What each of them approved.
CREATE TABLE grant_uses (
    interaction_id UUID   NOT NULL PRIMARY KEY REFERENCES interactions (id),
    grant_id       UUID   NOT NULL REFERENCES grants (id),
    at             BIGINT NOT NULL
);

CREATE INDEX grant_uses_of ON grant_uses (grant_id, at);
