-- Second factors. `used` only grows: the last step of an app whose code was used, or how often a passkey was. `secret`
-- is sealed for an app, and JSON for a passkey, whose `credential` is its device's name for it.
CREATE TABLE factors (
    id         BLOB    NOT NULL PRIMARY KEY,
    person_id  BLOB    NOT NULL REFERENCES people (id),
    kind       TEXT    NOT NULL CHECK (kind IN ('app', 'passkey')),
    name       TEXT    NOT NULL,
    secret     BLOB    NOT NULL,
    credential BLOB    UNIQUE,
    used       INTEGER NOT NULL,
    added_at   INTEGER NOT NULL,
    used_at    INTEGER,
    CHECK ((kind = 'passkey') = (credential IS NOT NULL))
) STRICT;

CREATE INDEX factors_person ON factors (person_id);

-- Each is good once, and gone then.
CREATE TABLE recovery_codes (
    person_id BLOB NOT NULL REFERENCES people (id),
    hash      BLOB NOT NULL,
    PRIMARY KEY (person_id, hash)
) STRICT;
