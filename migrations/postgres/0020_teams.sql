-- Teams (rule 18). What has no `team_id` belongs to everyone. `name_key` is the name in lower case, `timeouts` a JSON
-- object of seconds by kind.
CREATE TABLE teams (
    id            UUID    NOT NULL PRIMARY KEY,
    version       BIGINT NOT NULL,
    name          TEXT    NOT NULL,
    name_key      TEXT    NOT NULL,
    slack_channel TEXT,
    timeouts      TEXT    NOT NULL,
    created_at    BIGINT NOT NULL,
    deleted_at    BIGINT
);

CREATE UNIQUE INDEX teams_name_key ON teams (name_key) WHERE deleted_at IS NULL;

CREATE TABLE team_members (
    team_id   UUID NOT NULL REFERENCES teams (id),
    person_id UUID NOT NULL REFERENCES people (id),
    part      TEXT NOT NULL CHECK (part IN ('reads', 'answers')),
    PRIMARY KEY (team_id, person_id)
);

CREATE INDEX team_members_person ON team_members (person_id);

-- The agents that may ask a team that is not their home.
CREATE TABLE team_askers (
    team_id  UUID NOT NULL REFERENCES teams (id),
    agent_id UUID NOT NULL REFERENCES agents (id),
    PRIMARY KEY (team_id, agent_id)
);

CREATE INDEX team_askers_agent ON team_askers (agent_id);

-- An agent's home.
ALTER TABLE agents ADD COLUMN team_id UUID REFERENCES teams (id);
ALTER TABLE interactions ADD COLUMN team_id UUID REFERENCES teams (id);
-- JSON arrays of ids; NULL = none.
ALTER TABLE tokens ADD COLUMN teams TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN teams TEXT;

CREATE INDEX interactions_team ON interactions (team_id, id) WHERE team_id IS NOT NULL;
