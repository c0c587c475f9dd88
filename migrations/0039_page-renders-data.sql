-- What pages' renderings take counts as what a page keeps. A page that is gone leaves none, also one that
-- code of before took off line: that leaves the rendering.
CREATE TRIGGER `page_renders_made` AFTER INSERT ON `page_renders` BEGIN
  UPDATE pages SET kept_bytes = kept_bytes + NEW.bytes + 200 WHERE id = NEW.page_id;
END;
--> statement-breakpoint
CREATE TRIGGER `page_renders_resized` AFTER UPDATE OF `bytes` ON `page_renders` WHEN OLD.bytes <> NEW.bytes BEGIN
  UPDATE pages SET kept_bytes = max(kept_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.page_id;
END;
--> statement-breakpoint
CREATE TRIGGER `page_renders_gone` AFTER DELETE ON `page_renders` BEGIN
  UPDATE pages SET kept_bytes = max(kept_bytes - OLD.bytes - 200, 0) WHERE id = OLD.page_id;
END;
--> statement-breakpoint
CREATE TRIGGER `pages_unrendered` AFTER DELETE ON `pages` BEGIN
  DELETE FROM page_renders WHERE page_id = OLD.id;
END;
--> statement-breakpoint
-- Another version is told of by the page's address, which names it. The same one drawn anew is not.
CREATE TRIGGER `page_renders_changed` AFTER UPDATE OF `render` ON `page_renders` WHEN OLD.version = NEW.version AND OLD.render <> NEW.render BEGIN
  INSERT INTO address_changes (scope, name)
  SELECT 'address', CASE addresses.place WHEN '' THEN '' ELSE domains.host END || '/' || addresses.slug_key
  FROM addresses INDEXED BY addresses_pages LEFT JOIN domains ON domains.id = addresses.place
  WHERE addresses.kind = 'page' AND addresses.target_id = NEW.page_id AND (addresses.place = '' OR domains.id IS NOT NULL);
END;
--> statement-breakpoint
-- Nor is the first rendering of a version that was on line without one: isolates hold that it is not found.
CREATE TRIGGER `page_renders_begun` AFTER INSERT ON `page_renders` BEGIN
  INSERT INTO address_changes (scope, name)
  SELECT 'address', CASE addresses.place WHEN '' THEN '' ELSE domains.host END || '/' || addresses.slug_key
  FROM addresses INDEXED BY addresses_pages LEFT JOIN domains ON domains.id = addresses.place
  WHERE addresses.kind = 'page' AND addresses.target_id = NEW.page_id AND (addresses.place = '' OR domains.id IS NOT NULL);
END;
