-- The run that consumed an approval, and what the agent says came of an answer; both as JSON.
ALTER TABLE interactions ADD COLUMN consumed TEXT;
ALTER TABLE interactions ADD COLUMN report TEXT;
