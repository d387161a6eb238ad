-- The earlier plan that a plan takes the place of. One at most takes the place of each, so versions are one line.
ALTER TABLE interactions ADD COLUMN revises UUID REFERENCES interactions (id);

CREATE UNIQUE INDEX interactions_revises ON interactions (revises) WHERE revises IS NOT NULL;
