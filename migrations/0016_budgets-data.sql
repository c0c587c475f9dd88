-- The size of a row with its indexes, and triggers that keep workspace_usage: see usage.table.ts.
ALTER TABLE `contacts` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (600 + length(CAST(coalesce(external_id, '') AS BLOB)) + length(CAST(coalesce(external_id, '') AS BLOB)) + length(CAST(coalesce(name, '') AS BLOB)) + length(CAST(coalesce(email, '') AS BLOB)) + length(CAST(coalesce(phone, '') AS BLOB)) + length(CAST(coalesce(custom, '') AS BLOB))) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `links` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (600 + length(CAST(coalesce(slug, '') AS BLOB)) + length(CAST(coalesce(slug_key, '') AS BLOB)) + length(CAST(coalesce(slug_key, '') AS BLOB)) + length(CAST(coalesce(title, '') AS BLOB)) + length(CAST(coalesce(destination, '') AS BLOB)) + length(CAST(coalesce(utm, '') AS BLOB)) + length(CAST(coalesce(pixels, '') AS BLOB))) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `messages` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (500 + length(CAST(coalesce(text, '') AS BLOB)) + length(CAST(coalesce(template, '') AS BLOB)) + length(CAST(coalesce(reason, '') AS BLOB))) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `segments` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (400 + length(CAST(coalesce(name, '') AS BLOB)) + length(CAST(coalesce(include_tags, '') AS BLOB)) + length(CAST(coalesce(exclude_tags, '') AS BLOB)) + length(CAST(coalesce(conditions, '') AS BLOB))) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `events` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (350 + length(CAST(coalesce(data, '') AS BLOB)) + length(CAST(coalesce(targets, '') AS BLOB))) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `tags` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (250 + length(CAST(coalesce(name, '') AS BLOB))) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `stages` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (250 + length(CAST(coalesce(name, '') AS BLOB))) VIRTUAL;
--> statement-breakpoint
INSERT INTO `plan_limits` VALUES ('free', 52428800, 10000, 10000), ('pro', 524288000, 50000, 50000), ('business', 2147483648, 200000, 100000);
--> statement-breakpoint
INSERT INTO `usage_recount` (`id`) VALUES (1);
--> statement-breakpoint
INSERT INTO `workspace_usage` (`id`) SELECT `id` FROM `workspaces`;
--> statement-breakpoint
CREATE TRIGGER `usage_workspace_made` AFTER INSERT ON `workspaces` BEGIN
  INSERT INTO workspace_usage (id) VALUES (NEW.id);
END;
--> statement-breakpoint
CREATE TRIGGER `usage_contacts_made` AFTER INSERT ON `contacts` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 0 OR (stage = 0 AND NEW.id <= position) END FROM usage_recount), contacts = max(contacts + (1), 0), recounted_contacts = recounted_contacts + (1) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 0 OR (stage = 0 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_contacts_gone` AFTER DELETE ON `contacts` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-OLD.bytes), 0), recounted_bytes = recounted_bytes + (-OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 0 OR (stage = 0 AND OLD.id <= position) END FROM usage_recount), contacts = max(contacts + (-1), 0), recounted_contacts = recounted_contacts + (-1) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 0 OR (stage = 0 AND OLD.id <= position) END FROM usage_recount) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_contacts_changed` AFTER UPDATE ON `contacts` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes - OLD.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes - OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 0 OR (stage = 0 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_links_made` AFTER INSERT ON `links` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 1 OR (stage = 1 AND NEW.id <= position) END FROM usage_recount), links = max(links + (1), 0), recounted_links = recounted_links + (1) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 1 OR (stage = 1 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_links_gone` AFTER DELETE ON `links` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-OLD.bytes), 0), recounted_bytes = recounted_bytes + (-OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 1 OR (stage = 1 AND OLD.id <= position) END FROM usage_recount), links = max(links + (-1), 0), recounted_links = recounted_links + (-1) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 1 OR (stage = 1 AND OLD.id <= position) END FROM usage_recount) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_links_changed` AFTER UPDATE ON `links` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes - OLD.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes - OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 1 OR (stage = 1 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_messages_made` AFTER INSERT ON `messages` BEGIN
  UPDATE workspace_usage SET clicks_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN clicks ELSE 0 END, clicks = 0, deliveries_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN deliveries ELSE 0 END, deliveries = 0, messages_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN messages ELSE 0 END, messages = 0, month = (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) WHERE id = NEW.workspace_id AND month < (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1);
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 2 OR (stage = 2 AND NEW.id <= position) END FROM usage_recount), messages = max(messages + (1), 0) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes AND NEW.direction = 'outbound';
END;
--> statement-breakpoint
CREATE TRIGGER `usage_messages_gone` AFTER DELETE ON `messages` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-OLD.bytes), 0), recounted_bytes = recounted_bytes + (-OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 2 OR (stage = 2 AND OLD.id <= position) END FROM usage_recount) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_messages_changed` AFTER UPDATE ON `messages` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes - OLD.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes - OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 2 OR (stage = 2 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_segments_made` AFTER INSERT ON `segments` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 3 OR (stage = 3 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_segments_gone` AFTER DELETE ON `segments` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-OLD.bytes), 0), recounted_bytes = recounted_bytes + (-OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 3 OR (stage = 3 AND OLD.id <= position) END FROM usage_recount) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_segments_changed` AFTER UPDATE ON `segments` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes - OLD.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes - OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 3 OR (stage = 3 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_events_made` AFTER INSERT ON `events` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 4 OR (stage = 4 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_events_gone` AFTER DELETE ON `events` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-OLD.bytes), 0), recounted_bytes = recounted_bytes + (-OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 4 OR (stage = 4 AND OLD.id <= position) END FROM usage_recount) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_events_changed` AFTER UPDATE OF `data`, `targets` ON `events` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes - OLD.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes - OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 4 OR (stage = 4 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_tags_made` AFTER INSERT ON `tags` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 5 OR (stage = 5 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_tags_gone` AFTER DELETE ON `tags` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-OLD.bytes), 0), recounted_bytes = recounted_bytes + (-OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 5 OR (stage = 5 AND OLD.id <= position) END FROM usage_recount) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_tags_changed` AFTER UPDATE ON `tags` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes - OLD.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes - OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 5 OR (stage = 5 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_stages_made` AFTER INSERT ON `stages` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 6 OR (stage = 6 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_stages_gone` AFTER DELETE ON `stages` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-OLD.bytes), 0), recounted_bytes = recounted_bytes + (-OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 6 OR (stage = 6 AND OLD.id <= position) END FROM usage_recount) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_stages_changed` AFTER UPDATE ON `stages` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (NEW.bytes - OLD.bytes), 0), recounted_bytes = recounted_bytes + (NEW.bytes - OLD.bytes) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 6 OR (stage = 6 AND NEW.id <= position) END FROM usage_recount) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_contact_tags_made` AFTER INSERT ON `contact_tags` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (230), 0), recounted_bytes = recounted_bytes + (230) * (SELECT CASE WHEN stage = 8 THEN workspace_usage.id > position ELSE stage > 0 OR (stage = 0 AND NEW.contact_id <= position) END FROM usage_recount) WHERE id = coalesce((SELECT workspace_id FROM tags WHERE id = NEW.tag_id), (SELECT workspace_id FROM contacts WHERE id = NEW.contact_id)) AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_contact_tags_gone` AFTER DELETE ON `contact_tags` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-230), 0), recounted_bytes = recounted_bytes + (-230) * (SELECT CASE WHEN stage = 8 THEN workspace_usage.id > position ELSE stage > 0 OR (stage = 0 AND OLD.contact_id <= position) END FROM usage_recount) WHERE id = coalesce((SELECT workspace_id FROM tags WHERE id = OLD.tag_id), (SELECT workspace_id FROM contacts WHERE id = OLD.contact_id)) AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_deliveries_made` AFTER INSERT ON `deliveries` BEGIN
  UPDATE workspace_usage SET clicks_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN clicks ELSE 0 END, clicks = 0, deliveries_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN deliveries ELSE 0 END, deliveries = 0, messages_before = CASE month WHEN (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) - 1 THEN messages ELSE 0 END, messages = 0, month = (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1) WHERE id = NEW.workspace_id AND month < (strftime('%Y', NEW.created_at / 1000, 'unixepoch') * 12 + strftime('%m', NEW.created_at / 1000, 'unixepoch') - 1);
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (900), 0), recounted_bytes = recounted_bytes + (900) * (SELECT CASE WHEN stage = 8 THEN NEW.workspace_id > position ELSE stage > 7 OR (stage = 7 AND NEW.id <= position) END FROM usage_recount), deliveries = max(deliveries + (1), 0), pending_deliveries = max(pending_deliveries + (NEW.status = 'pending'), 0), deliveries_in_hour = CASE WHEN hour < NEW.created_at / 3600000 THEN 1 ELSE deliveries_in_hour + 1 END, hour = max(hour, NEW.created_at / 3600000) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_deliveries_gone` AFTER DELETE ON `deliveries` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-900), 0), recounted_bytes = recounted_bytes + (-900) * (SELECT CASE WHEN stage = 8 THEN OLD.workspace_id > position ELSE stage > 7 OR (stage = 7 AND OLD.id <= position) END FROM usage_recount), pending_deliveries = max(pending_deliveries + (-(OLD.status = 'pending')), 0) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_deliveries_changed` AFTER UPDATE OF `status` ON `deliveries` WHEN (NEW.status = 'pending') <> (OLD.status = 'pending') BEGIN
  UPDATE workspace_usage SET pending_deliveries = max(pending_deliveries + (NEW.status = 'pending') - (OLD.status = 'pending'), 0) WHERE id = NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_attempts_made` AFTER UPDATE OF `response_body` ON `delivery_attempts` WHEN OLD.response_body IS NULL AND length(NEW.response_body) > 200 BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (length(CAST(NEW.response_body AS BLOB))), 0), recounted_bytes = recounted_bytes + (length(CAST(NEW.response_body AS BLOB))) * (SELECT CASE WHEN stage = 8 THEN workspace_usage.id > position ELSE stage > 7 OR (stage = 7 AND NEW.delivery_id <= position) END FROM usage_recount) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = NEW.delivery_id) AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_attempts_gone` AFTER DELETE ON `delivery_attempts` WHEN length(OLD.response_body) > 200 BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + (-length(CAST(OLD.response_body AS BLOB))), 0), recounted_bytes = recounted_bytes + (-length(CAST(OLD.response_body AS BLOB))) * (SELECT CASE WHEN stage = 8 THEN workspace_usage.id > position ELSE stage > 7 OR (stage = 7 AND OLD.delivery_id <= position) END FROM usage_recount) WHERE id = (SELECT workspace_id FROM deliveries WHERE id = OLD.delivery_id) AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_clicks_made` AFTER INSERT ON `link_clicks` WHEN NEW.kind = 'human' BEGIN
  UPDATE workspace_usage SET clicks_before = CASE month WHEN (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1) - 1 THEN clicks ELSE 0 END, clicks = 0, deliveries_before = CASE month WHEN (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1) - 1 THEN deliveries ELSE 0 END, deliveries = 0, messages_before = CASE month WHEN (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1) - 1 THEN messages ELSE 0 END, messages = 0, month = (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1) WHERE id = NEW.workspace_id AND month < (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1);
  UPDATE workspace_usage SET clicks = clicks + NEW.clicks WHERE id = NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_clicks_counted` AFTER UPDATE OF `clicks` ON `link_clicks` WHEN NEW.kind = 'human' BEGIN
  UPDATE workspace_usage SET clicks_before = CASE month WHEN (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1) - 1 THEN clicks ELSE 0 END, clicks = 0, deliveries_before = CASE month WHEN (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1) - 1 THEN deliveries ELSE 0 END, deliveries = 0, messages_before = CASE month WHEN (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1) - 1 THEN messages ELSE 0 END, messages = 0, month = (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1) WHERE id = NEW.workspace_id AND month < (strftime('%Y', NEW.hour / 1000, 'unixepoch') * 12 + strftime('%m', NEW.hour / 1000, 'unixepoch') - 1);
  UPDATE workspace_usage SET clicks = clicks + NEW.clicks - OLD.clicks WHERE id = NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_batch_counted` AFTER UPDATE OF `batch_bytes` ON `workspace_usage` WHEN NEW.batch_bytes > 0 BEGIN
  SELECT RAISE(ABORT, 'storage_full') FROM workspaces CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE workspaces.id = NEW.id AND NEW.stored_bytes + NEW.batch_bytes > plan_limits.stored_bytes;
END;
