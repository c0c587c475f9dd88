-- How many products each plan has room for, and what keeps count of them and of what they take with
-- their rows of labels and files: see usage.table.ts.
UPDATE `plan_limits` SET `products` = CASE `plan` WHEN 'free' THEN 1000 WHEN 'pro' THEN 10000 ELSE 50000 END;
--> statement-breakpoint
ALTER TABLE `products` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (1100 + 2 * coalesce(length(CAST(external_id AS BLOB)), 0) + 2 * coalesce(length(CAST(brand AS BLOB)), 0) + 2 * coalesce(length(CAST(product_type AS BLOB)), 0) + 3 * coalesce(length(CAST(labels AS BLOB)), 0) + coalesce(length(CAST(title AS BLOB)), 0) + coalesce(length(CAST(description AS BLOB)), 0) + coalesce(length(CAST(url AS BLOB)), 0) + coalesce(length(CAST(image AS BLOB)), 0) + coalesce(length(CAST(additional_images AS BLOB)), 0) + coalesce(length(CAST(gtin AS BLOB)), 0) + coalesce(length(CAST(mpn AS BLOB)), 0) + coalesce(length(CAST(item_group_id AS BLOB)), 0) + coalesce(length(CAST(google_product_category AS BLOB)), 0) + 170 * (length(coalesce(image, '') || additional_images) - length(replace(coalesce(image, '') || additional_images, '"file"', ''))) / 6) VIRTUAL;
--> statement-breakpoint
CREATE TRIGGER `usage_products_made` AFTER INSERT ON `products` BEGIN
  UPDATE workspace_usage SET products = products + 1, stored_bytes = stored_bytes + NEW.bytes, other_bytes = other_bytes + NEW.bytes WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'product_limit') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.products > plan_limits.products;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_products_gone` AFTER DELETE ON `products` BEGIN
  UPDATE workspace_usage SET products = max(products - 1, 0), stored_bytes = max(stored_bytes - OLD.bytes, 0), other_bytes = max(other_bytes - OLD.bytes, 0) WHERE id = OLD.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_products_changed` AFTER UPDATE ON `products` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0), other_bytes = max(other_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
--> statement-breakpoint
-- Products by label, and the files that are pictures of products.
CREATE TRIGGER `product_labels_made` AFTER INSERT ON `products` WHEN NEW.labels <> '[]' BEGIN
  INSERT INTO product_labels (workspace_id, label, product_id)
  SELECT DISTINCT NEW.workspace_id, value, NEW.id FROM json_each(NEW.labels) WHERE type = 'text';
END;
--> statement-breakpoint
CREATE TRIGGER `product_labels_changed` AFTER UPDATE OF `labels` ON `products` WHEN OLD.labels <> NEW.labels BEGIN
  DELETE FROM product_labels WHERE workspace_id = OLD.workspace_id AND product_id = OLD.id
    AND label IN (SELECT value FROM json_each(OLD.labels)) AND label NOT IN (SELECT value FROM json_each(NEW.labels));
  INSERT INTO product_labels (workspace_id, label, product_id)
  SELECT NEW.workspace_id, value, NEW.id FROM json_each(NEW.labels) WHERE type = 'text' ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `product_labels_gone` AFTER DELETE ON `products` WHEN OLD.labels <> '[]' BEGIN
  DELETE FROM product_labels WHERE workspace_id = OLD.workspace_id AND product_id = OLD.id
    AND label IN (SELECT value FROM json_each(OLD.labels));
END;
--> statement-breakpoint
CREATE TRIGGER `product_files_made` AFTER INSERT ON `products` WHEN instr(coalesce(NEW.image, '') || NEW.additional_images, '"file"') > 0 BEGIN
  INSERT INTO product_files (product_id, file_id) SELECT DISTINCT NEW.id, files.id FROM json_tree(json_array(json(NEW.image), json(NEW.additional_images))) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id WHERE named.key = 'file' AND named.type = 'text';
END;
--> statement-breakpoint
CREATE TRIGGER `product_files_changed` AFTER UPDATE OF `image`, `additional_images` ON `products`
WHEN (coalesce(OLD.image, ''), OLD.additional_images) <> (coalesce(NEW.image, ''), NEW.additional_images) BEGIN
  DELETE FROM product_files WHERE product_id = OLD.id;
  INSERT INTO product_files (product_id, file_id) SELECT DISTINCT NEW.id, files.id FROM json_tree(json_array(json(NEW.image), json(NEW.additional_images))) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id WHERE named.key = 'file' AND named.type = 'text';
END;
--> statement-breakpoint
CREATE TRIGGER `product_files_gone` AFTER DELETE ON `products` BEGIN
  DELETE FROM product_files WHERE product_id = OLD.id;
END;
