-- A QR code stands at the host that is printed, no longer at the id of the domain that the host was
-- then: so a domain that is deleted and added again has its codes back. Code of before finds codes at
-- the ids still: those rows stay, changed and deleted with the others, so that a rollback finds them.
-- Only what code of before makes on a domain from here on waits for the deploy.
DROP TRIGGER `qr_codes_addressed`;
--> statement-breakpoint
DROP TRIGGER `qr_codes_readdressed`;
--> statement-breakpoint
DROP TRIGGER `qr_codes_unaddressed`;
--> statement-breakpoint
DROP TRIGGER `address_made`;
--> statement-breakpoint
DROP TRIGGER `address_changed`;
--> statement-breakpoint
DROP TRIGGER `address_gone`;
--> statement-breakpoint
INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
SELECT substr(qr_codes.origin, length('https://') + 1), addresses.slug_key, addresses.kind, addresses.target_id, addresses.workspace_id, addresses.document
FROM addresses INDEXED BY addresses_qr_codes CROSS JOIN qr_codes ON qr_codes.id = addresses.target_id
WHERE addresses.kind = 'qr_code' AND addresses.place <> '' AND qr_codes.origin IS NOT NULL;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_addressed` AFTER INSERT ON `qr_codes` WHEN NEW.code IS NOT NULL BEGIN
  INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
  VALUES (iif(NEW.domain_id IS NULL, '', substr(NEW.origin, length('https://') + 1)), 'q/' || lower(NEW.code), 'qr_code', NEW.id, NEW.workspace_id, json_object('status', NEW.status, 'url', NEW.target ->> 'url', 'link', NEW.target ->> 'link'));
END;
--> statement-breakpoint
-- Where a code stands is printed: that never changes.
CREATE TRIGGER `qr_codes_readdressed` AFTER UPDATE OF `workspace_id`, `status`, `target` ON `qr_codes` WHEN OLD.code IS NOT NULL BEGIN
  UPDATE addresses SET workspace_id = NEW.workspace_id, document = json_object('status', NEW.status, 'url', NEW.target ->> 'url', 'link', NEW.target ->> 'link')
  WHERE kind = 'qr_code' AND target_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_unaddressed` AFTER DELETE ON `qr_codes` WHEN OLD.code IS NOT NULL BEGIN
  DELETE FROM addresses WHERE kind = 'qr_code' AND target_id = OLD.id;
END;
--> statement-breakpoint
-- A place with a dot is a host: ids have none, hosts have one at least.
CREATE TRIGGER `address_made` AFTER INSERT ON `addresses` BEGIN
  INSERT INTO address_changes (scope, name)
  SELECT 'address', host || '/' || NEW.slug_key
  FROM (SELECT NEW.place AS host WHERE NEW.place = '' OR instr(NEW.place, '.') > 0 UNION ALL SELECT host FROM domains WHERE id = NEW.place);
END;
--> statement-breakpoint
CREATE TRIGGER `address_changed` AFTER UPDATE ON `addresses`
WHEN (OLD.place, OLD.slug_key, OLD.kind, OLD.target_id, OLD.workspace_id) <> (NEW.place, NEW.slug_key, NEW.kind, NEW.target_id, NEW.workspace_id)
  OR CASE
    WHEN OLD.document = NEW.document THEN 0
    WHEN NOT json_valid(OLD.document) OR NOT json_valid(NEW.document) THEN 1
    WHEN json_remove(OLD.document, '$.pixels') <> json_remove(NEW.document, '$.pixels') THEN 1
    ELSE (SELECT json_group_array(chosen.value) FROM json_each(OLD.document, '$.pixels') AS chosen WHERE NOT EXISTS (SELECT 1 FROM pixels WHERE pixels.id = chosen.value AND pixels.deleted_at IS NOT NULL))
      <> (SELECT json_group_array(chosen.value) FROM json_each(NEW.document, '$.pixels') AS chosen WHERE NOT EXISTS (SELECT 1 FROM pixels WHERE pixels.id = chosen.value AND pixels.deleted_at IS NOT NULL))
  END
BEGIN
  INSERT INTO address_changes (scope, name)
  SELECT 'address', host || '/' || OLD.slug_key
  FROM (SELECT OLD.place AS host WHERE OLD.place = '' OR instr(OLD.place, '.') > 0 UNION ALL SELECT host FROM domains WHERE id = OLD.place);
  INSERT INTO address_changes (scope, name)
  SELECT 'address', host || '/' || NEW.slug_key
  FROM (SELECT NEW.place AS host WHERE NEW.place = '' OR instr(NEW.place, '.') > 0 UNION ALL SELECT host FROM domains WHERE id = NEW.place) WHERE (OLD.place, OLD.slug_key) <> (NEW.place, NEW.slug_key);
END;
--> statement-breakpoint
CREATE TRIGGER `address_gone` AFTER DELETE ON `addresses` BEGIN
  INSERT INTO address_changes (scope, name)
  SELECT 'address', host || '/' || OLD.slug_key
  FROM (SELECT OLD.place AS host WHERE OLD.place = '' OR instr(OLD.place, '.') > 0 UNION ALL SELECT host FROM domains WHERE id = OLD.place);
END;
--> statement-breakpoint
-- The check of code of before takes a row at a host for a stray: it may not drop it. Of a code that is
-- deleted the rows go, as its own row is gone by then.
CREATE TRIGGER `qr_addresses_stay` BEFORE DELETE ON `addresses` WHEN OLD.kind = 'qr_code' AND EXISTS (SELECT 1 FROM qr_codes WHERE id = OLD.target_id AND code IS NOT NULL AND OLD.slug_key = 'q/' || lower(code) AND (domain_id = OLD.place OR origin = 'https://' || OLD.place)) BEGIN
  SELECT RAISE(IGNORE);
END;
