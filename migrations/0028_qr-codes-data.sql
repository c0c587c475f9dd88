-- QR codes in the address book (kind `qr_code`), and what tells visitors' caches of where their
-- links are. A code's document is spelt in qr-address-check.repository.ts too, which compares it.
CREATE TRIGGER `qr_codes_addressed` AFTER INSERT ON `qr_codes` WHEN NEW.code IS NOT NULL BEGIN
  INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
  VALUES (coalesce(NEW.domain_id, ''), 'q/' || lower(NEW.code), 'qr_code', NEW.id, NEW.workspace_id, json_object('status', NEW.status, 'url', NEW.target ->> 'url', 'link', NEW.target ->> 'link'));
END;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_readdressed` AFTER UPDATE OF `workspace_id`, `code`, `domain_id`, `status`, `target` ON `qr_codes` WHEN OLD.code IS NOT NULL BEGIN
  UPDATE addresses SET place = coalesce(NEW.domain_id, ''), slug_key = 'q/' || lower(NEW.code), workspace_id = NEW.workspace_id, document = json_object('status', NEW.status, 'url', NEW.target ->> 'url', 'link', NEW.target ->> 'link')
  WHERE place = coalesce(OLD.domain_id, '') AND slug_key = 'q/' || lower(OLD.code) AND kind = 'qr_code' AND target_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_unaddressed` AFTER DELETE ON `qr_codes` WHEN OLD.code IS NOT NULL BEGIN
  DELETE FROM addresses
  WHERE place = coalesce(OLD.domain_id, '') AND slug_key = 'q/' || lower(OLD.code) AND kind = 'qr_code' AND target_id = OLD.id;
END;
--> statement-breakpoint
-- Where a link is, its QR codes lead. One row for all of them: a link may have thousands.
CREATE TRIGGER `link_moved_for_qr_codes` AFTER UPDATE OF `workspace_id`, `domain_id`, `slug` ON `links`
WHEN (OLD.workspace_id, coalesce(OLD.domain_id, ''), OLD.slug) <> (NEW.workspace_id, coalesce(NEW.domain_id, ''), NEW.slug)
  AND EXISTS (SELECT 1 FROM qr_codes WHERE target_link_id = NEW.id)
BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', OLD.workspace_id);
END;
--> statement-breakpoint
CREATE TRIGGER `link_gone_for_qr_codes` AFTER DELETE ON `links` WHEN EXISTS (SELECT 1 FROM qr_codes WHERE target_link_id = OLD.id) BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', OLD.workspace_id);
END;
--> statement-breakpoint
-- Codes of other hosts may lead to links of this one.
CREATE TRIGGER `domain_renamed_for_qr_codes` AFTER UPDATE OF `host` ON `domains`
WHEN OLD.host <> NEW.host AND EXISTS (SELECT 1 FROM qr_codes WHERE workspace_id = NEW.workspace_id)
BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', NEW.workspace_id);
END;
--> statement-breakpoint
CREATE TRIGGER `domain_gone_for_qr_codes` AFTER DELETE ON `domains` WHEN EXISTS (SELECT 1 FROM qr_codes WHERE workspace_id = OLD.workspace_id) BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', OLD.workspace_id);
END;
--> statement-breakpoint
-- What a code takes, with its indexes and its address: see usage.table.ts.
ALTER TABLE `qr_codes` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (900 + length(CAST(name AS BLOB)) + 2 * length(CAST(target AS BLOB)) + length(CAST(style AS BLOB)) + length(CAST(coalesce(origin, '') AS BLOB))) VIRTUAL;
--> statement-breakpoint
CREATE TRIGGER `usage_qr_codes_made` AFTER INSERT ON `qr_codes` BEGIN
  UPDATE workspace_usage SET stored_bytes = stored_bytes + NEW.bytes, other_bytes = other_bytes + NEW.bytes WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_qr_codes_gone` AFTER DELETE ON `qr_codes` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes - OLD.bytes, 0), other_bytes = max(other_bytes - OLD.bytes, 0) WHERE id = OLD.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_qr_codes_changed` AFTER UPDATE ON `qr_codes` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0), other_bytes = max(other_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
