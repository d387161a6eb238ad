-- How far spans were made of the waits that the journal tells of, and until when a node is at it. A node that looks says when;
-- where none has for long, there were no spans to be made, and the next one begins at the end of the journal.
CREATE TABLE traced_waits (
    one         INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    made_up_to  INTEGER NOT NULL,
    looked_at   INTEGER NOT NULL,
    lease       INTEGER NOT NULL,
    lease_until INTEGER NOT NULL
) STRICT;

INSERT INTO traced_waits (one, made_up_to, looked_at, lease, lease_until) VALUES (1, 0, 0, 0, 0);
