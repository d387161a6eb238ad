-- Each index of what waits begins with the state now, as on SQLite, whose planner needs it.
DROP INDEX interactions_due;
CREATE INDEX interactions_due ON interactions (state, expires_at) WHERE state = 'pending' AND expires_at IS NOT NULL;
DROP INDEX interactions_claimed;
CREATE INDEX interactions_claimed ON interactions (state, claimed_until)
    WHERE state = 'pending' AND claimed_until IS NOT NULL;
DROP INDEX interactions_climb;
CREATE INDEX interactions_climb ON interactions (state, next_rung_at) WHERE state = 'pending' AND next_rung_at IS NOT NULL;
DROP INDEX interactions_panel;
CREATE INDEX interactions_panel ON interactions (state, (mode <> 'sync'), (NOT urgent), id) WHERE state = 'pending';
DROP INDEX interactions_task;
CREATE INDEX interactions_task ON interactions (state, agent_id, task_id) WHERE state = 'pending';
