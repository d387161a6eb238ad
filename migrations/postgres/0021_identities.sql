-- Who people are where they sign in by a provider: its address and its own name for them. Nobody is two people at
-- one provider, and no account there is two people here.
CREATE TABLE identities (
    issuer    TEXT   NOT NULL,
    subject   TEXT   NOT NULL,
    person_id UUID   NOT NULL REFERENCES people (id),
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (person_id, issuer)
);
