-- Rule 19: what people and agents wrote can go, and the journal still holds. An event with words keeps them in
-- `payload`; its hash covers `kept`, the payload without words, and a digest of `salt` and `payload`. When they are
-- erased `payload` becomes `kept`, the salt goes, `digest` takes its place, and `erased_by` is the number of the event
-- that says so. Events from before have neither `kept` nor `salt`: that event names the hash of what is left of them.
ALTER TABLE events ADD COLUMN kept TEXT;
ALTER TABLE events ADD COLUMN salt BLOB;
ALTER TABLE events ADD COLUMN digest BLOB;
ALTER TABLE events ADD COLUMN erased_by INTEGER;

-- The journal is append-only, but for words that an erasure takes.
DROP TRIGGER events_no_update;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
WHEN NOT COALESCE(
    old.erased_by IS NULL AND new.erased_by > old.seq
    AND new.seq = old.seq AND new.id = old.id AND new.at = old.at AND new.type = old.type
    AND new.agent_id IS old.agent_id AND new.interaction_id IS old.interaction_id AND new.task_id IS old.task_id
    AND new.actor = old.actor AND new.prev_hash = old.prev_hash AND new.hash = old.hash
    AND new.kept IS old.kept AND new.salt IS NULL
    AND (old.kept IS NULL OR (new.payload = old.kept AND new.digest IS NOT NULL))
    AND EXISTS (
        SELECT 1 FROM events e
        WHERE e.seq = new.erased_by AND e.type = 'interaction.erased' AND e.agent_id IS old.agent_id
            AND (e.interaction_id = old.interaction_id
                OR (e.interaction_id IS NOT NULL AND old.interaction_id IS NULL
                    AND old.type LIKE 'task.%' AND e.task_id = old.task_id))), 0)
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

-- Who erased it and when, as JSON.
ALTER TABLE interactions ADD COLUMN erased TEXT;
CREATE INDEX interactions_with_words ON interactions (kind, closed_at, id, team_id)
WHERE erased IS NULL AND closed_at IS NOT NULL;
CREATE INDEX interactions_agent_with_words ON interactions (agent_id, closed_at, id)
WHERE erased IS NULL AND closed_at IS NOT NULL;
CREATE INDEX interactions_team_with_words ON interactions (team_id, closed_at, id)
WHERE erased IS NULL AND closed_at IS NOT NULL AND team_id IS NOT NULL;

-- Whether an interaction is the last of its task that has words, and the events of the task alone: without these, all
-- that its agent ever did is read for each one that is erased.
CREATE INDEX interactions_task_with_words ON interactions (agent_id, task_id)
WHERE erased IS NULL AND task_id IS NOT NULL;
CREATE INDEX events_task ON events (agent_id, task_id, seq) WHERE interaction_id IS NULL;

-- What is erased is found by its interaction.
CREATE INDEX idempotency_keys_interaction ON idempotency_keys (interaction_id);
CREATE INDEX outbox_event ON outbox (event_seq);
CREATE INDEX slack_inbox_thread ON slack_inbox (channel, thread_ts);

-- A word that is taken out of the index leaves it, instead of being marked as gone.
INSERT INTO interaction_search (interaction_search, rank) VALUES ('secure-delete', 1);
