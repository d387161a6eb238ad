-- How often each method of Slack's was called lately, by any node, and until when it is to be left alone (JSON). Nodes
-- take turns: who writes a version that is not there any more has not had one.
CREATE TABLE slack_pace (
    method  TEXT    NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    pace    TEXT    NOT NULL
) STRICT;

-- Cards that turned out to be there twice: this message shows an interaction whose card is another one.
CREATE TABLE slack_twins (
    channel        TEXT NOT NULL,
    ts             TEXT NOT NULL,
    interaction_id BLOB NOT NULL REFERENCES interactions (id),
    PRIMARY KEY (channel, ts)
) STRICT;
CREATE INDEX slack_twins_interaction ON slack_twins (interaction_id);

-- Whether the request of a try may have gone out: it is written down before. Of older tries that is not known.
ALTER TABLE delivery_attempts ADD COLUMN called INTEGER NOT NULL DEFAULT 1;
