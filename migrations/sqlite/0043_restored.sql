-- Each use of an approval asks when the database was put back last.
CREATE INDEX events_restored ON events (type, seq) WHERE type = 'journal.restored';
