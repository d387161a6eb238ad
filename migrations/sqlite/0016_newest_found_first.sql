-- The texts of interactions in a table of their own, which can be looked through by interaction, and the index over
-- it. FTS5 hands out what it finds in the order of its row numbers, so a row's number begins with the time in the
-- interaction's id: in steps of 128 ms, before 28 bits of which the first is 0 and the others are the number of the
-- text's event. Of texts from before the first is 1 and the others are the row's old number.
ALTER TABLE interaction_words RENAME TO old_words;

CREATE TABLE interaction_words (
    place          INTEGER NOT NULL PRIMARY KEY,
    interaction_id BLOB    NOT NULL,
    words          TEXT    NOT NULL
) STRICT;

-- Questions from before there was a search are kept as JSON; their words are those that FTS5 takes them for.
CREATE VIRTUAL TABLE old_json USING fts5 (words, tokenize = 'unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE old_json_words USING fts5vocab (old_json, instance);
INSERT INTO old_json (rowid, words) SELECT rowid, words FROM old_words WHERE substr(words, 1, 1) = '{';

INSERT INTO interaction_words (place, interaction_id, words)
SELECT (MIN(('0x' || hex(substr(interaction_id, 1, 6))) ->> '$' >> 7, 34359738367) << 28) | 134217728 | (rowid & 134217727),
    interaction_id, words
FROM old_words WHERE substr(words, 1, 1) <> '{';

INSERT INTO interaction_words (place, interaction_id, words)
SELECT (MIN(('0x' || hex(substr(interaction_id, 1, 6))) ->> '$' >> 7, 34359738367) << 28) | 134217728 | (rowid & 134217727),
    interaction_id, j.words
FROM old_words o JOIN (
    SELECT doc, group_concat(term, ' ') AS words FROM (SELECT DISTINCT doc, term FROM old_json_words) GROUP BY doc
) j ON j.doc = o.rowid;

DROP TABLE old_json_words;
DROP TABLE old_json;
DROP TABLE old_words;

CREATE INDEX interaction_words_interaction ON interaction_words (interaction_id);

CREATE VIRTUAL TABLE interaction_search USING fts5 (
    words, content = 'interaction_words', content_rowid = 'place', columnsize = 0,
    tokenize = 'unicode61 remove_diacritics 0', prefix = '2 3'
);

INSERT INTO interaction_search (interaction_search) VALUES ('rebuild');

CREATE TRIGGER interaction_words_searched AFTER INSERT ON interaction_words
BEGIN
    INSERT INTO interaction_search (rowid, words) VALUES (new.place, new.words);
END;
