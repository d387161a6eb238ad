-- Who of a team is on duty: a JSON object of the rota, who is on duty instead, and who is away; NULL when there is no rota
-- any more. The version goes on then, so that nothing is written over a rota that was not looked at.
CREATE TABLE team_duty (
    team_id    BLOB    NOT NULL PRIMARY KEY REFERENCES teams (id),
    version    INTEGER NOT NULL,
    duty       TEXT,
    changed_at INTEGER NOT NULL
) STRICT;

-- A person's address of the team's calendar, by the hash of its secret.
CREATE TABLE team_calendars (
    team_id    BLOB    NOT NULL REFERENCES teams (id),
    person_id  BLOB    NOT NULL REFERENCES people (id),
    hash       BLOB    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (team_id, person_id)
) STRICT;

CREATE INDEX team_calendars_person ON team_calendars (person_id);
