-- Second factors. `used` only grows: the last step of an app whose code was used, or how often a passkey was. `secret`
-- is sealed for an app, and JSON for a passkey, whose `credential` is its device's name for it.
CREATE TABLE factors (
    id         UUID   NOT NULL PRIMARY KEY,
    person_id  UUID   NOT NULL REFERENCES people (id),
    kind       TEXT   NOT NULL CHECK (kind IN ('app', 'passkey')),
    name       TEXT   NOT NULL,
    secret     BYTEA  NOT NULL,
    credential BYTEA  UNIQUE,
    used       BIGINT NOT NULL,
    added_at   BIGINT NOT NULL,
    used_at    BIGINT,
    CHECK ((kind = 'passkey') = (credential IS NOT NULL))
);

CREATE INDEX factors_person ON factors (person_id);

-- Each is good once, and gone then.
CREATE TABLE recovery_codes (
    person_id UUID  NOT NULL REFERENCES people (id),
    hash      BYTEA NOT NULL,
    PRIMARY KEY (person_id, hash)
);
