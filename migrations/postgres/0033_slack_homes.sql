-- Homes of the app in Slack that show something: who sees it, the node that keeps it up to date, until when, and when
-- its end is tried next. Written before a home is published, and deleted after it is blank again.
CREATE TABLE slack_homes (
    user_id TEXT   NOT NULL PRIMARY KEY,
    node    UUID   NOT NULL,
    until   BIGINT NOT NULL,
    next_at BIGINT NOT NULL
);
CREATE INDEX slack_homes_next_at ON slack_homes (next_at);
