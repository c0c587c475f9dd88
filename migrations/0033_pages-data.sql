-- Published pages in the address book (kind `page`): at `@handle`, and at the root of their domain.
-- A page's document is spelt in page-address-check.repository.ts too, which compares it.
CREATE TRIGGER `pages_addressed` AFTER INSERT ON `pages` WHEN NEW.published_version IS NOT NULL BEGIN
  INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
  SELECT coalesce(NEW.domain_id, ''), '@' || NEW.handle_key, 'page', NEW.id, NEW.workspace_id, json_object('status', NEW.status, 'disabled', NEW.disabled, 'version', NEW.published_version, 'hasPassword', NEW.password_hash IS NOT NULL, 'sensitiveContent', NEW.published_settings ->> 'sensitive_content', 'utm', NEW.published_settings -> 'utm', 'pixels', NEW.published_settings -> 'pixels')
  WHERE NEW.published_version IS NOT NULL
  UNION ALL SELECT NEW.domain_id, '', 'page', NEW.id, NEW.workspace_id, json_object('status', NEW.status, 'disabled', NEW.disabled, 'version', NEW.published_version, 'hasPassword', NEW.password_hash IS NOT NULL, 'sensitiveContent', NEW.published_settings ->> 'sensitive_content', 'utm', NEW.published_settings -> 'utm', 'pixels', NEW.published_settings -> 'pixels')
  WHERE NEW.published_version IS NOT NULL AND NEW.domain_root = 1 AND NEW.domain_id IS NOT NULL
  ON CONFLICT DO UPDATE SET workspace_id = excluded.workspace_id, document = excluded.document
  WHERE addresses.kind = 'page' AND addresses.target_id = excluded.target_id;
END;
--> statement-breakpoint
CREATE TRIGGER `pages_readdressed` AFTER UPDATE OF `workspace_id`, `domain_id`, `handle_key`, `domain_root`, `status`, `disabled`, `password_hash`, `published_version`, `published_settings` ON `pages`
WHEN OLD.published_version IS NOT NULL OR NEW.published_version IS NOT NULL BEGIN
  DELETE FROM addresses
  WHERE place = coalesce(OLD.domain_id, '') AND slug_key = '@' || OLD.handle_key AND kind = 'page' AND target_id = OLD.id
    AND (NEW.published_version IS NULL OR (coalesce(OLD.domain_id, ''), OLD.handle_key) <> (coalesce(NEW.domain_id, ''), NEW.handle_key));
  DELETE FROM addresses
  WHERE place = OLD.domain_id AND slug_key = '' AND kind = 'page' AND target_id = OLD.id
    AND (NEW.published_version IS NULL OR NEW.domain_root = 0 OR NEW.domain_id IS NOT OLD.domain_id);
  INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
  SELECT coalesce(NEW.domain_id, ''), '@' || NEW.handle_key, 'page', NEW.id, NEW.workspace_id, json_object('status', NEW.status, 'disabled', NEW.disabled, 'version', NEW.published_version, 'hasPassword', NEW.password_hash IS NOT NULL, 'sensitiveContent', NEW.published_settings ->> 'sensitive_content', 'utm', NEW.published_settings -> 'utm', 'pixels', NEW.published_settings -> 'pixels')
  WHERE NEW.published_version IS NOT NULL
  UNION ALL SELECT NEW.domain_id, '', 'page', NEW.id, NEW.workspace_id, json_object('status', NEW.status, 'disabled', NEW.disabled, 'version', NEW.published_version, 'hasPassword', NEW.password_hash IS NOT NULL, 'sensitiveContent', NEW.published_settings ->> 'sensitive_content', 'utm', NEW.published_settings -> 'utm', 'pixels', NEW.published_settings -> 'pixels')
  WHERE NEW.published_version IS NOT NULL AND NEW.domain_root = 1 AND NEW.domain_id IS NOT NULL
  ON CONFLICT DO UPDATE SET workspace_id = excluded.workspace_id, document = excluded.document
  WHERE addresses.kind = 'page' AND addresses.target_id = excluded.target_id;
END;
--> statement-breakpoint
CREATE TRIGGER `pages_unaddressed` AFTER DELETE ON `pages` WHEN OLD.published_version IS NOT NULL BEGIN
  DELETE FROM addresses
  WHERE place = coalesce(OLD.domain_id, '') AND slug_key = '@' || OLD.handle_key AND kind = 'page' AND target_id = OLD.id;
  DELETE FROM addresses
  WHERE place = OLD.domain_id AND slug_key = '' AND kind = 'page' AND target_id = OLD.id;
END;
--> statement-breakpoint
-- What a deleted page held goes in slices.
CREATE TRIGGER `pages_removed` AFTER DELETE ON `pages` BEGIN
  INSERT INTO page_removals (page_id, workspace_id) VALUES (OLD.id, OLD.workspace_id) ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
-- Which pages use a pixel, kept by triggers.
CREATE TRIGGER `page_pixels_made` AFTER INSERT ON `pages` WHEN NEW.pixels <> '[]' OR NEW.published_settings IS NOT NULL BEGIN
  INSERT INTO page_pixels (pixel_id, page_id)
  SELECT value, NEW.id FROM (SELECT value FROM json_each(CASE WHEN json_valid(NEW.pixels) THEN NEW.pixels ELSE '[]' END) WHERE type = 'text' UNION SELECT value FROM json_each(CASE WHEN json_valid(NEW.published_settings) THEN NEW.published_settings ELSE '{}' END, '$.pixels') WHERE type = 'text') WHERE true ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `page_pixels_changed` AFTER UPDATE OF `pixels`, `published_settings` ON `pages`
WHEN (OLD.pixels, coalesce(OLD.published_settings -> 'pixels', '[]')) <> (NEW.pixels, coalesce(NEW.published_settings -> 'pixels', '[]')) BEGIN
  DELETE FROM page_pixels WHERE page_id = OLD.id
    AND pixel_id IN (SELECT value FROM json_each(CASE WHEN json_valid(OLD.pixels) THEN OLD.pixels ELSE '[]' END) WHERE type = 'text' UNION SELECT value FROM json_each(CASE WHEN json_valid(OLD.published_settings) THEN OLD.published_settings ELSE '{}' END, '$.pixels') WHERE type = 'text')
    AND pixel_id NOT IN (SELECT value FROM json_each(CASE WHEN json_valid(NEW.pixels) THEN NEW.pixels ELSE '[]' END) WHERE type = 'text' UNION SELECT value FROM json_each(CASE WHEN json_valid(NEW.published_settings) THEN NEW.published_settings ELSE '{}' END, '$.pixels') WHERE type = 'text');
  INSERT INTO page_pixels (pixel_id, page_id)
  SELECT value, NEW.id FROM (SELECT value FROM json_each(CASE WHEN json_valid(NEW.pixels) THEN NEW.pixels ELSE '[]' END) WHERE type = 'text' UNION SELECT value FROM json_each(CASE WHEN json_valid(NEW.published_settings) THEN NEW.published_settings ELSE '{}' END, '$.pixels') WHERE type = 'text') WHERE true ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `page_pixels_gone` AFTER DELETE ON `pages` WHEN OLD.pixels <> '[]' OR OLD.published_settings IS NOT NULL BEGIN
  DELETE FROM page_pixels WHERE page_id = OLD.id AND pixel_id IN (SELECT value FROM json_each(CASE WHEN json_valid(OLD.pixels) THEN OLD.pixels ELSE '[]' END) WHERE type = 'text' UNION SELECT value FROM json_each(CASE WHEN json_valid(OLD.published_settings) THEN OLD.published_settings ELSE '{}' END, '$.pixels') WHERE type = 'text');
END;
--> statement-breakpoint
-- What a page keeps beside its draft: versions, and tombstones of blocks.
CREATE TRIGGER `page_versions_made` AFTER INSERT ON `page_versions` BEGIN
  UPDATE pages SET kept_bytes = kept_bytes + NEW.bytes + 300 WHERE id = NEW.page_id;
END;
--> statement-breakpoint
CREATE TRIGGER `page_versions_gone` AFTER DELETE ON `page_versions` BEGIN
  UPDATE pages SET kept_bytes = max(kept_bytes - OLD.bytes - 300, 0) WHERE id = OLD.page_id;
END;
--> statement-breakpoint
CREATE TRIGGER `page_blocks_buried` AFTER UPDATE OF `deleted_at` ON `page_blocks` WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL BEGIN
  UPDATE pages SET kept_bytes = kept_bytes + 500 WHERE id = NEW.page_id;
END;
--> statement-breakpoint
CREATE TRIGGER `page_blocks_restored` AFTER UPDATE OF `deleted_at` ON `page_blocks` WHEN OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL BEGIN
  UPDATE pages SET kept_bytes = max(kept_bytes - 500, 0) WHERE id = NEW.page_id;
END;
--> statement-breakpoint
CREATE TRIGGER `page_blocks_forgotten` AFTER DELETE ON `page_blocks` WHEN OLD.deleted_at IS NOT NULL BEGIN
  UPDATE pages SET kept_bytes = max(kept_bytes - 500, 0) WHERE id = OLD.page_id;
END;
--> statement-breakpoint
-- What a page takes with all that it holds, and how many there are: see usage.table.ts. A block takes
-- some 430 bytes beside its settings.
ALTER TABLE `pages` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (1500 + 4 * length(handle) + length(CAST(title AS BLOB)) + content_bytes + coalesce(length(published_settings), 0) + 11 * length(block_order) + blocks_bytes + kept_bytes) VIRTUAL;
--> statement-breakpoint
UPDATE `plan_limits` SET `pages` = CASE `plan` WHEN 'free' THEN 5 WHEN 'pro' THEN 50 ELSE 500 END;
--> statement-breakpoint
CREATE TRIGGER `usage_pages_made` AFTER INSERT ON `pages` BEGIN
  UPDATE workspace_usage SET pages = pages + 1, stored_bytes = stored_bytes + NEW.bytes, other_bytes = other_bytes + NEW.bytes WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'page_limit') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.pages > plan_limits.pages;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_pages_gone` AFTER DELETE ON `pages` BEGIN
  UPDATE workspace_usage SET pages = max(pages - 1, 0), stored_bytes = max(stored_bytes - OLD.bytes, 0), other_bytes = max(other_bytes - OLD.bytes, 0) WHERE id = OLD.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_pages_changed` AFTER UPDATE ON `pages` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0), other_bytes = max(other_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
