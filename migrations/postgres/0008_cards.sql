-- A channel of Slack is a destination, too.
ALTER TABLE destinations DROP CONSTRAINT destinations_kind_check;
ALTER TABLE destinations ADD CONSTRAINT destinations_kind_check CHECK (kind IN ('webhook', 'callback', 'slack'));

-- Made with the first obligation.
CREATE TABLE slack_channels (
    id      UUID NOT NULL PRIMARY KEY REFERENCES destinations (id),
    channel TEXT NOT NULL
);

-- Where an interaction is shown. `card_channel` is there from the beginning, the rest once it is posted. One message
-- can show several notifications.
ALTER TABLE interactions ADD COLUMN card_channel TEXT;
ALTER TABLE interactions ADD COLUMN card_ts TEXT;
ALTER TABLE interactions ADD COLUMN card_permalink TEXT;
CREATE INDEX interactions_card ON interactions (card_ts, card_channel) WHERE card_ts IS NOT NULL;

-- Whether a try that failed may have arrived all the same.
ALTER TABLE delivery_attempts ADD COLUMN may_have_arrived BOOLEAN NOT NULL DEFAULT FALSE;
