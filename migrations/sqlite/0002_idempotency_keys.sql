-- Rule 8: what an agent has asked under a key of its own. Written in the transaction that opens the
-- interaction, before it, so there is no reference to it.
CREATE TABLE idempotency_keys (
    agent_id       BLOB    NOT NULL REFERENCES agents (id),
    key            TEXT    NOT NULL,
    fingerprint    BLOB    NOT NULL,
    interaction_id BLOB    NOT NULL,
    PRIMARY KEY (agent_id, key)
) STRICT;
