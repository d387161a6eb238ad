-- Whether anybody waits for an answer. When the agent last asked after a blocker, to a minute: agents ask too often for
-- an event of it, and nothing is decided by it alone.
CREATE TABLE asked_after (
    interaction_id BLOB    NOT NULL PRIMARY KEY REFERENCES interactions (id),
    at             INTEGER NOT NULL
) STRICT;

CREATE INDEX asked_after_at ON asked_after (at);

-- When an agent last read the events, or waited for them.
ALTER TABLE agents ADD COLUMN listened_at INTEGER;

-- Whether the agent is called back, so that nobody expects it to come.
ALTER TABLE interactions ADD COLUMN has_callback INTEGER NOT NULL DEFAULT 0;
UPDATE interactions SET has_callback = 1
    WHERE state = 'pending' AND json_extract(request, '$.callback_url') IS NOT NULL;
