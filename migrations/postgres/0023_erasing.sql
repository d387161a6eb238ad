-- Rule 19: what people and agents wrote can go, and the journal still holds. An event with words keeps them in
-- `payload`; its hash covers `kept`, the payload without words, and a digest of `salt` and `payload`. When they are
-- erased `payload` becomes `kept`, the salt goes, `digest` takes its place, and `erased_by` is the number of the event
-- that says so. Events from before have neither `kept` nor `salt`: that event names the hash of what is left of them.
ALTER TABLE events ADD COLUMN kept TEXT;
ALTER TABLE events ADD COLUMN salt BYTEA;
ALTER TABLE events ADD COLUMN digest BYTEA;
ALTER TABLE events ADD COLUMN erased_by BIGINT;

-- The journal is append-only, but for words that an erasure takes.
CREATE OR REPLACE FUNCTION events_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.erased_by IS NULL AND NEW.erased_by IS NOT NULL AND NEW.erased_by > OLD.seq
            AND NEW.seq = OLD.seq AND NEW.id = OLD.id AND NEW.at = OLD.at AND NEW.type = OLD.type
            AND NEW.agent_id IS NOT DISTINCT FROM OLD.agent_id
            AND NEW.interaction_id IS NOT DISTINCT FROM OLD.interaction_id
            AND NEW.task_id IS NOT DISTINCT FROM OLD.task_id
            AND NEW.actor = OLD.actor AND NEW.prev_hash = OLD.prev_hash AND NEW.hash = OLD.hash
            AND NEW.kept IS NOT DISTINCT FROM OLD.kept AND NEW.salt IS NULL
            AND (OLD.kept IS NULL OR (NEW.payload = OLD.kept AND NEW.digest IS NOT NULL))
            AND EXISTS (
                SELECT 1 FROM events e
                WHERE e.seq = NEW.erased_by AND e.type = 'interaction.erased'
                    AND e.agent_id IS NOT DISTINCT FROM OLD.agent_id
                    AND (e.interaction_id = OLD.interaction_id
                        OR (e.interaction_id IS NOT NULL AND OLD.interaction_id IS NULL
                            AND OLD.type LIKE 'task.%' AND e.task_id = OLD.task_id)))
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'the journal is append-only';
END
$$;

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
