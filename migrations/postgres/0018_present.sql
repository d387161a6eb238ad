-- Who has which place of the desk open, on each node, as of a moment ago.
CREATE TABLE present (
    node      UUID   NOT NULL,
    person_id UUID   NOT NULL,
    name      TEXT   NOT NULL,
    place     TEXT   NOT NULL,
    seen_at   BIGINT NOT NULL,
    PRIMARY KEY (node, person_id, place)
);
