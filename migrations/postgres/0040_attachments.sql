-- Files that asks and answers carry. The bytes are kept elsewhere, by the id. A row is there before its bytes are and stays
-- until they are gone, so no file is ever without a row: `is_kept` says that they have arrived, `gone_at` that they have to
-- go. Whatever is part of nothing after an hour goes.
CREATE TABLE attachments (
    id             UUID    NOT NULL PRIMARY KEY,
    holder_kind    TEXT    NOT NULL CHECK (holder_kind IN ('agent', 'person', 'token')),
    holder_id      UUID    NOT NULL,
    name           TEXT    NOT NULL,
    media          TEXT    NOT NULL,
    size           BIGINT  NOT NULL,
    sha256         TEXT    NOT NULL,
    sent_at        BIGINT  NOT NULL,
    is_kept        BOOLEAN NOT NULL DEFAULT FALSE,
    interaction_id UUID    REFERENCES interactions (id),
    part           TEXT    CHECK (part IN ('ask', 'answer')),
    place          BIGINT,
    gone_at        BIGINT,
    CHECK ((interaction_id IS NULL) = (part IS NULL) AND (part IS NULL) = (place IS NULL))
);

CREATE UNIQUE INDEX attachments_of ON attachments (interaction_id, part, place) WHERE interaction_id IS NOT NULL;
CREATE INDEX attachments_waiting ON attachments (holder_id) WHERE interaction_id IS NULL AND gone_at IS NULL;
CREATE INDEX attachments_unused ON attachments (sent_at) WHERE interaction_id IS NULL AND gone_at IS NULL;
CREATE INDEX attachments_gone ON attachments (gone_at) WHERE gone_at IS NOT NULL;
