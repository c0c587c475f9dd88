-- Who moves many deliveries on counts at once how many wait, and sets batch_bytes meanwhile.
DROP TRIGGER `usage_deliveries_changed`;
--> statement-breakpoint
CREATE TRIGGER `usage_deliveries_changed` AFTER UPDATE OF `status` ON `deliveries` WHEN (NEW.status = 'pending') <> (OLD.status = 'pending') BEGIN
  UPDATE workspace_usage SET pending_deliveries = max(pending_deliveries + (NEW.status = 'pending') - (OLD.status = 'pending'), 0) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
-- A lane writes an attempt down when it is over, with what was answered.
CREATE TRIGGER `usage_attempts_written` AFTER INSERT ON `delivery_attempts` WHEN length(NEW.response_body) > 200 BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (length(CAST(NEW.response_body AS BLOB))), 0), recounted_bytes = recounted_bytes + (length(CAST(NEW.response_body AS BLOB))) * (SELECT CASE WHEN stage = 8 THEN workspace_usage.id > position ELSE stage > 7 OR (stage = 7 AND NEW.delivery_id <= position) END FROM usage_recount) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = NEW.delivery_id) AND batch_bytes IS NULL;
END;
