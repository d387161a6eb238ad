-- How many connections of Socket Mode each node has, so that none takes another's for a stranger's.
CREATE TABLE slack_nodes (
    node        BLOB    NOT NULL PRIMARY KEY,
    connections INTEGER NOT NULL,
    seen_at     INTEGER NOT NULL
) STRICT;
