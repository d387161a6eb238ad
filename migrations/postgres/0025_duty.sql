-- Who of a team is on duty: a JSON object of the rota, who is on duty instead, and who is away; NULL when there is no rota
-- any more. The version goes on then, so that nothing is written over a rota that was not looked at.
CREATE TABLE team_duty (
    team_id    UUID   NOT NULL PRIMARY KEY REFERENCES teams (id),
    version    BIGINT NOT NULL,
    duty       TEXT,
    changed_at BIGINT NOT NULL
);

-- A person's address of the team's calendar, by the hash of its secret.
CREATE TABLE team_calendars (
    team_id    UUID   NOT NULL REFERENCES teams (id),
    person_id  UUID   NOT NULL REFERENCES people (id),
    hash       BYTEA  NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (team_id, person_id)
);

CREATE INDEX team_calendars_person ON team_calendars (person_id);
