-- How many connections of Socket Mode each node has, so that none takes another's for a stranger's.
CREATE TABLE slack_nodes (
    node        UUID   NOT NULL PRIMARY KEY,
    connections BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL
);
