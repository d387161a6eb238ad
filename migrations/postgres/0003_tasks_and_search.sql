-- The pieces of work blockers belong to. `body` is the whole truth as JSON; two agents may use the
-- same id.
CREATE TABLE tasks (
    agent_id   UUID   NOT NULL REFERENCES agents (id),
    id         TEXT    NOT NULL,
    version    BIGINT NOT NULL,
    status     TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, id)
);

CREATE INDEX tasks_updated ON tasks (updated_at);

-- When the agent took note of how it ended, and what was said afterwards (JSON; NULL = nothing).
ALTER TABLE interactions ADD COLUMN collected_at BIGINT;
ALTER TABLE interactions ADD COLUMN follow_ups TEXT;

-- What waits in a task, and how much one agent asks at once.
CREATE INDEX interactions_task ON interactions (agent_id, task_id) WHERE state = 'pending';

ALTER TABLE agents ADD COLUMN last_seen_at BIGINT;

-- Whose interaction or task an event is about: an agent tails its own events. Not part of the hash, as
-- the interaction's own column never was.
ALTER TABLE events ADD COLUMN agent_id UUID;

ALTER TABLE events DISABLE TRIGGER USER;

UPDATE events SET agent_id = i.agent_id FROM interactions i WHERE i.id = events.interaction_id;

ALTER TABLE events ENABLE TRIGGER USER;

CREATE INDEX events_agent ON events (agent_id, seq);

-- Lower-case words to search for: a row for each text of an interaction (question, answer, follow-up).
CREATE TABLE interaction_words (
    interaction_id UUID     NOT NULL,
    words          TSVECTOR NOT NULL
);

CREATE INDEX interaction_words_words ON interaction_words USING GIN (words);

INSERT INTO interaction_words (interaction_id, words) SELECT id, to_tsvector('simple', request) FROM interactions;
