-- Who moves many deliveries on counts at once how many wait, and sets batch_bytes meanwhile.
DROP TRIGGER `usage_deliveries_changed`;
--> statement-breakpoint
CREATE TRIGGER `usage_deliveries_changed` AFTER UPDATE OF `status` ON `deliveries` WHEN (NEW.status = 'pending') <> (OLD.status = 'pending') BEGIN
  UPDATE workspace_usage SET pending_deliveries = max(pending_deliveries + (NEW.status = 'pending') - (OLD.status = 'pending'), 0) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
-- What counts of a response: a body above 200 characters, headers above 500. The shorter are kept
-- whatever room there is. An attempt may be written with its response, or get it when it ends.
ALTER TABLE `delivery_attempts` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (CASE WHEN length(response_body) > 200 THEN length(CAST(response_body AS BLOB)) ELSE 0 END + CASE WHEN length(response_headers) > 500 THEN length(CAST(response_headers AS BLOB)) ELSE 0 END) VIRTUAL;
--> statement-breakpoint
DROP TRIGGER `usage_attempts_made`;
--> statement-breakpoint
DROP TRIGGER `usage_attempts_gone`;
--> statement-breakpoint
DROP TRIGGER `usage_attempts_erased`;
--> statement-breakpoint
CREATE TRIGGER `usage_attempts_made` AFTER INSERT ON `delivery_attempts` WHEN NEW.bytes > 0 BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes) * (SELECT CASE WHEN stage = 8 THEN workspace_usage.id > position ELSE stage > 7 OR (stage = 7 AND NEW.delivery_id <= position) END FROM usage_recount) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = NEW.delivery_id) AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_attempts_changed` AFTER UPDATE OF `response_body`, `response_headers` ON `delivery_attempts` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes - OLD.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes - OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN workspace_usage.id > position ELSE stage > 7 OR (stage = 7 AND NEW.delivery_id <= position) END FROM usage_recount) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = NEW.delivery_id) AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_attempts_gone` AFTER DELETE ON `delivery_attempts` WHEN OLD.bytes > 0 BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-OLD.bytes), 0), recounted_bytes = recounted_bytes + (-OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN workspace_usage.id > position ELSE stage > 7 OR (stage = 7 AND OLD.delivery_id <= position) END FROM usage_recount) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = OLD.delivery_id) AND batch_bytes IS NULL;
END;
