-- Who has which place of the desk open, on each node, as of a moment ago.
CREATE TABLE present (
    node      BLOB    NOT NULL,
    person_id BLOB    NOT NULL,
    name      TEXT    NOT NULL,
    place     TEXT    NOT NULL,
    seen_at   INTEGER NOT NULL,
    PRIMARY KEY (node, person_id, place)
) STRICT;
