-- Endpoints follow the journal: up to `made_up_to` deliveries were made of what they want to hear of. One
-- that is disabled or deleted is owed nothing after `stopped_after`.
ALTER TABLE webhook_endpoints ADD COLUMN made_up_to INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhook_endpoints ADD COLUMN stopped_after INTEGER;
UPDATE webhook_endpoints SET made_up_to = (SELECT COALESCE(MAX(seq), 0) FROM events);
UPDATE webhook_endpoints SET stopped_after = made_up_to
WHERE disabled_at IS NOT NULL OR deleted_at IS NOT NULL;
