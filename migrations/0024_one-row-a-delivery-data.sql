-- What a delivery takes: its attempts count from 1,000 characters on.
ALTER TABLE `target_deliveries` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (900 + max(length(CAST(attempts AS BLOB)) - 1000, 0)) VIRTUAL;
--> statement-breakpoint
-- One that is moved here, from `deliveries`, was counted for its month and hour when it was made.
CREATE TRIGGER `usage_target_deliveries_made` AFTER INSERT ON `target_deliveries` BEGIN
  UPDATE workspace_usage SET clicks_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN clicks ELSE 0 END, clicks = 0, deliveries_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN deliveries ELSE 0 END, deliveries = 0, messages_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN messages ELSE 0 END, messages = 0, month = (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) WHERE id = NEW.workspace_id AND month < (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) AND NOT EXISTS (SELECT 1 FROM deliveries WHERE id = NEW.id);
  UPDATE workspace_usage SET stored_bytes = stored_bytes + NEW.bytes, recounted_bytes = recounted_bytes + NEW.bytes * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 7 OR (stage = 7 AND NEW.target_id || NEW.id <= position) END FROM usage_recount), pending_deliveries = pending_deliveries + (NEW.status = 'pending'), deliveries = workspace_usage.deliveries + NOT EXISTS (SELECT 1 FROM deliveries WHERE id = NEW.id), deliveries_in_hour = CASE WHEN NOT NOT EXISTS (SELECT 1 FROM deliveries WHERE id = NEW.id) THEN deliveries_in_hour WHEN hour < NEW.created_at / 3600000 THEN 1 ELSE deliveries_in_hour + 1 END, hour = CASE WHEN NOT EXISTS (SELECT 1 FROM deliveries WHERE id = NEW.id) THEN max(hour, NEW.created_at / 3600000) ELSE hour END WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_target_deliveries_gone` AFTER DELETE ON `target_deliveries` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes - OLD.bytes, 0), recounted_bytes = recounted_bytes - OLD.bytes * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 7 OR (stage = 7 AND OLD.target_id || OLD.id <= position) END FROM usage_recount), pending_deliveries = max(pending_deliveries - (OLD.status = 'pending'), 0) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_target_deliveries_changed` AFTER UPDATE OF `status`, `attempts` ON `target_deliveries` WHEN (NEW.status = 'pending') <> (OLD.status = 'pending') OR NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0), recounted_bytes = recounted_bytes + (NEW.bytes - OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 7 OR (stage = 7 AND NEW.target_id || NEW.id <= position) END FROM usage_recount), pending_deliveries = max(pending_deliveries + (NEW.status = 'pending') - (OLD.status = 'pending'), 0) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
-- The former table is not recounted any more: what is left there is moved within minutes.
DROP TRIGGER `usage_deliveries_made`;
--> statement-breakpoint
CREATE TRIGGER `usage_deliveries_made` AFTER INSERT ON `deliveries` BEGIN
  UPDATE workspace_usage SET clicks_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN clicks ELSE 0 END, clicks = 0, deliveries_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN deliveries ELSE 0 END, deliveries = 0, messages_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN messages ELSE 0 END, messages = 0, month = (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) WHERE id = NEW.workspace_id AND month < (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1);
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (900), 0), deliveries = max(deliveries + (1), 0), pending_deliveries = max(pending_deliveries + (NEW.status = 'pending'), 0), deliveries_in_hour = CASE WHEN hour < NEW.created_at / 3600000 THEN 1 ELSE deliveries_in_hour + 1 END, hour = max(hour, NEW.created_at / 3600000) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
DROP TRIGGER `usage_deliveries_gone`;
--> statement-breakpoint
CREATE TRIGGER `usage_deliveries_gone` AFTER DELETE ON `deliveries` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-900), 0), pending_deliveries = max(pending_deliveries + (-(OLD.status = 'pending')), 0) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
DROP TRIGGER `usage_attempts_made`;
--> statement-breakpoint
CREATE TRIGGER `usage_attempts_made` AFTER INSERT ON `delivery_attempts` WHEN NEW.bytes > 0 BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes), 0) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = NEW.delivery_id) AND batch_bytes IS NULL;
END;
--> statement-breakpoint
DROP TRIGGER `usage_attempts_changed`;
--> statement-breakpoint
CREATE TRIGGER `usage_attempts_changed` AFTER UPDATE OF `response_body`, `response_headers` ON `delivery_attempts` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes - OLD.bytes), 0) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = NEW.delivery_id) AND batch_bytes IS NULL;
END;
--> statement-breakpoint
DROP TRIGGER `usage_attempts_gone`;
--> statement-breakpoint
CREATE TRIGGER `usage_attempts_gone` AFTER DELETE ON `delivery_attempts` WHEN OLD.bytes > 0 BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-OLD.bytes), 0) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = OLD.delivery_id) AND batch_bytes IS NULL;
END;
--> statement-breakpoint
-- A recount that is under way has deliveries in another order: it is to be thrown away.
UPDATE workspace_usage SET recount_spoilt = 1 WHERE EXISTS (SELECT 1 FROM usage_recount WHERE stage > 0 OR position <> '');
--> statement-breakpoint
-- The payloads' job goes on by place: before the first one that is not empty, not at the first of all.
INSERT INTO job_places (job, place) SELECT 'purge_payloads', substr(id, 1, 35) FROM events WHERE data IS NOT NULL ORDER BY id LIMIT 1;
