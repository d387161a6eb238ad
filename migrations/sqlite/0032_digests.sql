-- Whether what can wait comes there once an hour, as one message.
ALTER TABLE reaches ADD COLUMN digest INTEGER NOT NULL DEFAULT 0;
