-- All that the panel counts of the last day is in its indexes: each row was read, for its kind and its team. The kind is a column
-- also where it is the condition, since SQLite takes it from the row otherwise.
DROP INDEX interactions_blockers;
CREATE INDEX interactions_blockers ON interactions (id, kind, team_id, agent_id) WHERE kind <> 'notification';
DROP INDEX interactions_ends;
DROP INDEX interactions_closed;
CREATE INDEX interactions_closed ON interactions (closed_at, kind, state, team_id, agent_id) WHERE closed_at IS NOT NULL;
