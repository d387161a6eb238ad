-- The pieces of work blockers belong to. `body` is the whole truth as JSON; two agents may use the
-- same id.
CREATE TABLE tasks (
    agent_id   BLOB    NOT NULL REFERENCES agents (id),
    id         TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    status     TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (agent_id, id)
) STRICT;

CREATE INDEX tasks_updated ON tasks (updated_at, agent_id, id);
CREATE INDEX tasks_status ON tasks (status, updated_at, agent_id, id);
CREATE INDEX tasks_agent ON tasks (agent_id, updated_at, id);
CREATE INDEX tasks_open ON tasks (agent_id) WHERE status IN ('running', 'waiting');

-- When the agent took note of how it ended, and what was said afterwards (JSON; NULL = nothing).
ALTER TABLE interactions ADD COLUMN collected_at INTEGER;
ALTER TABLE interactions ADD COLUMN follow_ups TEXT;

-- What waits in a task, and how much one agent asks at once.
CREATE INDEX interactions_task ON interactions (agent_id, task_id) WHERE state = 'pending';

-- The panel, in its order.
DROP INDEX interactions_pending;
CREATE INDEX interactions_panel ON interactions ((mode <> 'sync'), (NOT urgent), id) WHERE state = 'pending';

-- The lists, newest first, by what they are narrowed to; and the counts of the last day.
CREATE INDEX interactions_newest ON interactions (agent_id, id);
CREATE INDEX interactions_state ON interactions (state, id);
CREATE INDEX interactions_task_newest ON interactions (task_id, id) WHERE task_id IS NOT NULL;
CREATE INDEX interactions_session_newest ON interactions (session_id, id) WHERE session_id IS NOT NULL;
CREATE INDEX interactions_blockers ON interactions (id) WHERE kind <> 'notification';
CREATE INDEX interactions_ends ON interactions (closed_at, state) WHERE kind <> 'notification';

ALTER TABLE agents ADD COLUMN last_seen_at INTEGER;

-- Whose interaction or task an event is about: an agent tails its own events. Not part of the hash, as
-- the interaction's own column never was.
ALTER TABLE events ADD COLUMN agent_id BLOB;

DROP TRIGGER events_no_update;

UPDATE events SET agent_id = (SELECT agent_id FROM interactions WHERE id = events.interaction_id);

CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'the journal is append-only');
END;

CREATE INDEX events_agent ON events (agent_id, seq);

-- Lower-case words to search for: a row for each text of an interaction (question, answer, follow-up).
CREATE VIRTUAL TABLE interaction_words USING fts5 (
    words, interaction_id UNINDEXED, tokenize = 'unicode61 remove_diacritics 0', prefix = '2 3'
);

INSERT INTO interaction_words (words, interaction_id) SELECT lower(request), id FROM interactions;
