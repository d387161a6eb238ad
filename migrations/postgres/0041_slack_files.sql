-- What was uploaded to Slack for an interaction, by Slack's own ids. A row is there before the file can be seen in its thread, and
-- stays until Slack has deleted it: so a file that may be there already is found, or taken away before it is sent again.
CREATE TABLE slack_files (
    id             TEXT    NOT NULL PRIMARY KEY,
    interaction_id UUID    NOT NULL REFERENCES interactions (id)
);

CREATE INDEX slack_files_of ON slack_files (interaction_id);
