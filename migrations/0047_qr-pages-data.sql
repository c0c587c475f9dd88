-- A QR code may lead to a page, whose id stands where a link's does: code of before finds no such link,
-- and says that the code leads nowhere. Of all other codes the address book says the same as before.
DROP TRIGGER `qr_codes_addressed`;
--> statement-breakpoint
DROP TRIGGER `qr_codes_readdressed`;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_addressed` AFTER INSERT ON `qr_codes` WHEN NEW.code IS NOT NULL BEGIN
  INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
  VALUES (iif(NEW.domain_id IS NULL, '', substr(NEW.origin, length('https://') + 1)), 'q/' || lower(NEW.code), 'qr_code', NEW.id, NEW.workspace_id, json_object('status', NEW.status, 'url', NEW.target ->> 'url', 'link', coalesce(NEW.target ->> 'link', NEW.target ->> 'page')));
END;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_readdressed` AFTER UPDATE OF `workspace_id`, `status`, `target` ON `qr_codes` WHEN OLD.code IS NOT NULL BEGIN
  UPDATE addresses SET workspace_id = NEW.workspace_id, document = json_object('status', NEW.status, 'url', NEW.target ->> 'url', 'link', coalesce(NEW.target ->> 'link', NEW.target ->> 'page'))
  WHERE kind = 'qr_code' AND target_id = OLD.id;
END;
--> statement-breakpoint
-- Where a page is, its QR codes lead, published or not. One row for all of them.
CREATE TRIGGER `page_moved_for_qr_codes` AFTER UPDATE OF `workspace_id`, `domain_id`, `handle` ON `pages`
WHEN (OLD.workspace_id, coalesce(OLD.domain_id, ''), OLD.handle) <> (NEW.workspace_id, coalesce(NEW.domain_id, ''), NEW.handle)
  AND EXISTS (SELECT 1 FROM qr_codes WHERE target_page_id = NEW.id)
BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', OLD.workspace_id);
END;
--> statement-breakpoint
CREATE TRIGGER `page_gone_for_qr_codes` AFTER DELETE ON `pages` WHEN EXISTS (SELECT 1 FROM qr_codes WHERE target_page_id = OLD.id) BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', OLD.workspace_id);
END;
