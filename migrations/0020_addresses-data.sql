-- The address book and its log: see addresses.table.ts. A link's document is spelt in
-- address-check.repository.ts too, which compares it.
INSERT INTO `address_check` (`id`) VALUES (1);
--> statement-breakpoint
INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
SELECT coalesce(domain_id, ''), slug_key, 'link', id, workspace_id, json_object('status', links.status, 'disabled', links.disabled, 'destination', links.destination, 'httpStatus', links.http_status, 'forwardQuery', links.forward_query, 'sensitiveContent', links.sensitive_content, 'hasPassword', links.password_hash IS NOT NULL, 'utm', json(CASE WHEN json_valid(links.utm) THEN links.utm ELSE '{}' END), 'pixels', json(CASE WHEN json_valid(links.pixels) THEN links.pixels ELSE '[]' END)) FROM links;
--> statement-breakpoint
CREATE TRIGGER `links_addressed` AFTER INSERT ON `links` BEGIN
  INSERT INTO addresses (place, slug_key, kind, target_id, workspace_id, document)
  VALUES (coalesce(NEW.domain_id, ''), NEW.slug_key, 'link', NEW.id, NEW.workspace_id, json_object('status', NEW.status, 'disabled', NEW.disabled, 'destination', NEW.destination, 'httpStatus', NEW.http_status, 'forwardQuery', NEW.forward_query, 'sensitiveContent', NEW.sensitive_content, 'hasPassword', NEW.password_hash IS NOT NULL, 'utm', json(CASE WHEN json_valid(NEW.utm) THEN NEW.utm ELSE '{}' END), 'pixels', json(CASE WHEN json_valid(NEW.pixels) THEN NEW.pixels ELSE '[]' END)));
END;
--> statement-breakpoint
CREATE TRIGGER `links_readdressed` AFTER UPDATE OF `workspace_id`, `domain_id`, `slug_key`, `status`, `disabled`, `destination`, `http_status`, `forward_query`, `sensitive_content`, `password_hash`, `utm`, `pixels` ON `links` BEGIN
  UPDATE addresses SET place = coalesce(NEW.domain_id, ''), slug_key = NEW.slug_key, workspace_id = NEW.workspace_id, document = json_object('status', NEW.status, 'disabled', NEW.disabled, 'destination', NEW.destination, 'httpStatus', NEW.http_status, 'forwardQuery', NEW.forward_query, 'sensitiveContent', NEW.sensitive_content, 'hasPassword', NEW.password_hash IS NOT NULL, 'utm', json(CASE WHEN json_valid(NEW.utm) THEN NEW.utm ELSE '{}' END), 'pixels', json(CASE WHEN json_valid(NEW.pixels) THEN NEW.pixels ELSE '[]' END))
  WHERE place = coalesce(OLD.domain_id, '') AND slug_key = OLD.slug_key AND kind = 'link' AND target_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER `links_unaddressed` AFTER DELETE ON `links` BEGIN
  DELETE FROM addresses
  WHERE place = coalesce(OLD.domain_id, '') AND slug_key = OLD.slug_key AND kind = 'link' AND target_id = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER `address_made` AFTER INSERT ON `addresses` BEGIN
  INSERT INTO address_changes (scope, name)
  SELECT 'address', host || '/' || NEW.slug_key
  FROM (SELECT '' AS host WHERE NEW.place = '' UNION ALL SELECT host FROM domains WHERE id = NEW.place);
END;
--> statement-breakpoint
CREATE TRIGGER `address_changed` AFTER UPDATE ON `addresses`
WHEN (OLD.kind, OLD.target_id, OLD.workspace_id, OLD.document) <> (NEW.kind, NEW.target_id, NEW.workspace_id, NEW.document)
  OR (OLD.place, OLD.slug_key) <> (NEW.place, NEW.slug_key)
BEGIN
  INSERT INTO address_changes (scope, name)
  SELECT 'address', host || '/' || OLD.slug_key
  FROM (SELECT '' AS host WHERE OLD.place = '' UNION ALL SELECT host FROM domains WHERE id = OLD.place);
  INSERT INTO address_changes (scope, name)
  SELECT 'address', host || '/' || NEW.slug_key
  FROM (SELECT '' AS host WHERE NEW.place = '' UNION ALL SELECT host FROM domains WHERE id = NEW.place) WHERE (OLD.place, OLD.slug_key) <> (NEW.place, NEW.slug_key);
END;
--> statement-breakpoint
CREATE TRIGGER `address_gone` AFTER DELETE ON `addresses` BEGIN
  INSERT INTO address_changes (scope, name)
  SELECT 'address', host || '/' || OLD.slug_key
  FROM (SELECT '' AS host WHERE OLD.place = '' UNION ALL SELECT host FROM domains WHERE id = OLD.place);
END;
--> statement-breakpoint
CREATE TRIGGER `workspace_changed_for_visitors` AFTER UPDATE OF `status` ON `workspaces` WHEN OLD.status <> NEW.status BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', NEW.id);
END;
--> statement-breakpoint
CREATE TRIGGER `domain_made_for_visitors` AFTER INSERT ON `domains` WHEN NEW.verified = 1 BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('host', NEW.host);
END;
--> statement-breakpoint
CREATE TRIGGER `domain_changed_for_visitors` AFTER UPDATE OF `workspace_id`, `host`, `verified`, `disabled`, `root_url`, `not_found_url` ON `domains`
WHEN (OLD.verified = 1 OR NEW.verified = 1)
  AND (OLD.workspace_id, OLD.host, OLD.verified, OLD.disabled, coalesce(OLD.root_url, ''), coalesce(OLD.not_found_url, '')) <> (NEW.workspace_id, NEW.host, NEW.verified, NEW.disabled, coalesce(NEW.root_url, ''), coalesce(NEW.not_found_url, ''))
BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('host', NEW.host);
  INSERT INTO address_changes (scope, name) SELECT 'host', OLD.host WHERE OLD.host <> NEW.host;
END;
--> statement-breakpoint
CREATE TRIGGER `domain_gone_for_visitors` AFTER DELETE ON `domains` WHEN OLD.verified = 1 BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('host', OLD.host);
END;
--> statement-breakpoint
CREATE TRIGGER `pixel_made_for_visitors` AFTER INSERT ON `pixels` BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', NEW.workspace_id);
END;
--> statement-breakpoint
CREATE TRIGGER `pixel_changed_for_visitors` AFTER UPDATE OF `id`, `workspace_id`, `provider`, `tag` ON `pixels`
WHEN (OLD.id, OLD.workspace_id, OLD.provider, OLD.tag) <> (NEW.id, NEW.workspace_id, NEW.provider, NEW.tag)
BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', NEW.workspace_id);
  INSERT INTO address_changes (scope, name) SELECT 'workspace', OLD.workspace_id WHERE OLD.workspace_id <> NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `pixel_gone_for_visitors` AFTER DELETE ON `pixels` BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', OLD.workspace_id);
END;
