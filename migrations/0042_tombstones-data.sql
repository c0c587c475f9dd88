-- A full workspace deletes blocks too: what is refused is growth, but not the 500 bytes of a tombstone,
-- which each block leaves once, and gives back in its page's order and settings.
DROP TRIGGER `usage_pages_changed`;
--> statement-breakpoint
CREATE TRIGGER `usage_pages_changed` AFTER UPDATE ON `pages` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0), other_bytes = max(other_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes AND NOT (NEW.kept_bytes = OLD.kept_bytes + 500 AND NEW.bytes = OLD.bytes + 500);
END;
