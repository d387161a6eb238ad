-- Whom an agent's token belongs to. Those from before belong to nobody until an admin says so.
ALTER TABLE tokens ADD COLUMN owner_id UUID REFERENCES people (id);
