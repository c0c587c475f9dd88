-- What a collection takes with the rows of what it lists: see usage.table.ts.
ALTER TABLE `collections` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (700 + length(CAST(name AS BLOB)) + 2 * length(slug) + coalesce(length(CAST(description AS BLOB)), 0) + coalesce(length(CAST(rule AS BLOB)), 0) + 300 * products_count) VIRTUAL;
--> statement-breakpoint
CREATE TRIGGER `usage_collections_made` AFTER INSERT ON `collections` BEGIN
  UPDATE workspace_usage SET stored_bytes = stored_bytes + NEW.bytes, other_bytes = other_bytes + NEW.bytes WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_collections_gone` AFTER DELETE ON `collections` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes - OLD.bytes, 0), other_bytes = max(other_bytes - OLD.bytes, 0) WHERE id = OLD.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_collections_changed` AFTER UPDATE ON `collections` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0), other_bytes = max(other_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `collections_emptied` AFTER DELETE ON `collections` BEGIN
  DELETE FROM collection_products WHERE collection_id = OLD.id;
END;
--> statement-breakpoint
-- No collection lists a product that is gone.
CREATE TRIGGER `collections_without_product` AFTER DELETE ON `products` BEGIN
  UPDATE collections SET products_count = max(products_count - 1, 0)
  WHERE id IN (SELECT collection_id FROM collection_products WHERE product_id = OLD.id);
  DELETE FROM collection_products WHERE product_id = OLD.id;
END;
