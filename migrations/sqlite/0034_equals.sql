-- What waits on a card already, to find what is equal to a new one.
CREATE INDEX IF NOT EXISTS interactions_equals ON interactions (agent_id, kind, card_channel, created_at, id)
    WHERE state = 'pending' AND card_ts IS NOT NULL;
