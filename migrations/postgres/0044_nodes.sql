-- The nodes that run, each by an id that is new with every start, so that `handraise doctor` sees different versions.
CREATE TABLE nodes (
    node    UUID    NOT NULL PRIMARY KEY,
    version TEXT    NOT NULL,
    seen_at BIGINT  NOT NULL
);
