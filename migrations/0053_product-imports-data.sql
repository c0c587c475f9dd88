-- What an import and its file take of the room for all that is stored: see usage.table.ts.
ALTER TABLE `product_imports` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (700 + length(CAST(errors AS BLOB)) + length(CAST(columns AS BLOB)) + length(CAST(ignored_columns AS BLOB))) VIRTUAL;
--> statement-breakpoint
ALTER TABLE `product_import_slices` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (200 + length(CAST(text AS BLOB)) + length(repeated)) VIRTUAL;
--> statement-breakpoint
CREATE TRIGGER `usage_product_imports_made` AFTER INSERT ON `product_imports` BEGIN
  UPDATE workspace_usage SET stored_bytes = stored_bytes + NEW.bytes, other_bytes = other_bytes + NEW.bytes WHERE id = NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_product_imports_gone` AFTER DELETE ON `product_imports` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes - OLD.bytes, 0), other_bytes = max(other_bytes - OLD.bytes, 0) WHERE id = OLD.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_product_imports_changed` AFTER UPDATE OF `errors` ON `product_imports` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0), other_bytes = max(other_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_product_import_slices_made` AFTER INSERT ON `product_import_slices` BEGIN
  UPDATE workspace_usage SET stored_bytes = stored_bytes + NEW.bytes, other_bytes = other_bytes + NEW.bytes WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_product_import_slices_gone` AFTER DELETE ON `product_import_slices` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes - OLD.bytes, 0), other_bytes = max(other_bytes - OLD.bytes, 0) WHERE id = OLD.workspace_id;
END;
