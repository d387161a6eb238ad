-- The question of a form that stands on its card in Slack, and since when by Slack's clock: a reply that was written
-- before is no answer to it.
CREATE TABLE card_questions (
    interaction_id UUID NOT NULL PRIMARY KEY REFERENCES interactions (id),
    question TEXT NOT NULL,
    since BIGINT NOT NULL
);
