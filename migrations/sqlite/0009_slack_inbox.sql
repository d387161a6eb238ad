-- What people write in threads in Slack, kept before it is acknowledged and until it was heard. `edited` is empty
-- for a message itself, otherwise it names the change. `text` is a JSON string: Postgres keeps no NUL.
CREATE TABLE slack_inbox (
    id BLOB NOT NULL PRIMARY KEY,
    event_id TEXT UNIQUE,
    channel TEXT NOT NULL,
    ts TEXT NOT NULL,
    thread_ts TEXT NOT NULL,
    user_id TEXT NOT NULL,
    team_id TEXT,
    client_msg_id TEXT,
    text TEXT NOT NULL,
    edited TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    heard_at INTEGER,
    note TEXT,
    UNIQUE (channel, ts, edited)
) STRICT;
-- One gesture may come as two messages.
CREATE UNIQUE INDEX slack_inbox_gesture ON slack_inbox (channel, client_msg_id) WHERE edited = '';
CREATE INDEX slack_inbox_waiting ON slack_inbox (id) WHERE heard_at IS NULL;
CREATE INDEX slack_inbox_heard ON slack_inbox (heard_at) WHERE heard_at IS NOT NULL;
