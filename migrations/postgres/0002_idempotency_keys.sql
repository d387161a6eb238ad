-- Rule 8: what an agent has asked under a key of its own. Written in the transaction that opens the
-- interaction, before it, so there is no reference to it.
CREATE TABLE idempotency_keys (
    agent_id       UUID    NOT NULL REFERENCES agents (id),
    key            TEXT    NOT NULL,
    fingerprint    BYTEA   NOT NULL,
    interaction_id UUID    NOT NULL,
    PRIMARY KEY (agent_id, key)
);
