-- Whether anybody waits for an answer. When the agent last asked after a blocker, to a minute: agents ask too often for
-- an event of it, and nothing is decided by it alone.
CREATE TABLE asked_after (
    interaction_id UUID   NOT NULL PRIMARY KEY REFERENCES interactions (id),
    at             BIGINT NOT NULL
);

CREATE INDEX asked_after_at ON asked_after (at);

-- When an agent last read the events, or waited for them.
ALTER TABLE agents ADD COLUMN listened_at BIGINT;

-- Whether the agent is called back, so that nobody expects it to come.
ALTER TABLE interactions ADD COLUMN has_callback BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE interactions SET has_callback = TRUE
    WHERE state = 'pending' AND (request::json ->> 'callback_url') IS NOT NULL;
