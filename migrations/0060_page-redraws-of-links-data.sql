-- A page that shows a short link says where that leads: the link's change has it drawn anew. Not where
-- what is drawn stays: its title, its status, another password.
CREATE TRIGGER `page_redraws_of_link` AFTER UPDATE OF `domain_id`, `slug`, `destination`, `password_hash` ON `links`
WHEN (OLD.domain_id, OLD.slug, OLD.destination, OLD.password_hash IS NULL) IS NOT (NEW.domain_id, NEW.slug, NEW.destination, NEW.password_hash IS NULL) BEGIN
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT page_id, NEW.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM page_products WHERE target_id = NEW.id
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `page_redraws_of_gone_link` AFTER DELETE ON `links` BEGIN
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT page_id, OLD.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM page_products WHERE target_id = OLD.id
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
