-- The words of one interaction: common words are found by looking through the newest ones.
CREATE INDEX interaction_words_interaction ON interaction_words (interaction_id);
