-- Who somebody is in Slack: whoever presses a button there is asked for by this id.
ALTER TABLE people ADD COLUMN slack_id TEXT;
CREATE UNIQUE INDEX people_slack_id ON people (slack_id) WHERE slack_id IS NOT NULL;
