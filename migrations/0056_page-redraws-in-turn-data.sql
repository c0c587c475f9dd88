-- Pages that are to be drawn anew have their turn by how long they have waited, and one that is asked
-- for again keeps its place. Five seconds before now, so that no clock of a run is behind it.
DROP TRIGGER `page_redraws_of_new_product`;
--> statement-breakpoint
CREATE TRIGGER `page_redraws_of_new_product` AFTER INSERT ON `products` WHEN NEW.status = 'active' BEGIN
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT DISTINCT page_products.page_id, NEW.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM collections INDEXED BY collections_rules CROSS JOIN page_products ON page_products.target_id = collections.id
  WHERE collections.workspace_id = NEW.workspace_id AND collections.rule IS NOT NULL
    AND (collections.rule ->> 'availability' IS NULL OR collections.rule ->> 'availability' IN (NEW.availability)) AND (collections.rule ->> 'brand' IS NULL OR collections.rule ->> 'brand' IN (NEW.brand)) AND (collections.rule ->> 'product_type' IS NULL OR collections.rule ->> 'product_type' IN (NEW.product_type)) AND (collections.rule ->> 'label' IS NULL OR EXISTS (SELECT 1 FROM json_each(NEW.labels) AS own WHERE own.value = collections.rule ->> 'label'))
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
--> statement-breakpoint
DROP TRIGGER `page_redraws_of_product`;
--> statement-breakpoint
CREATE TRIGGER `page_redraws_of_product` AFTER UPDATE OF `title`, `description`, `url`, `image`, `price_amount`, `currency`, `sale_amount`, `sale_starts_at`, `sale_ends_at`, `availability`, `brand`, `product_type`, `labels`, `status` ON `products`
WHEN json_array(OLD.title, OLD.description, OLD.url, OLD.image, OLD.price_amount, OLD.currency, OLD.sale_amount, OLD.sale_starts_at, OLD.sale_ends_at, OLD.availability, OLD.brand, OLD.product_type, OLD.labels, OLD.status) <> json_array(NEW.title, NEW.description, NEW.url, NEW.image, NEW.price_amount, NEW.currency, NEW.sale_amount, NEW.sale_starts_at, NEW.sale_ends_at, NEW.availability, NEW.brand, NEW.product_type, NEW.labels, NEW.status) BEGIN
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT page_id, NEW.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM page_products WHERE target_id = NEW.id
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT DISTINCT page_products.page_id, NEW.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM collection_products CROSS JOIN page_products ON page_products.target_id = collection_products.collection_id
  WHERE collection_products.product_id = NEW.id
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT DISTINCT page_products.page_id, NEW.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM collections INDEXED BY collections_rules CROSS JOIN page_products ON page_products.target_id = collections.id
  WHERE collections.workspace_id = NEW.workspace_id AND collections.rule IS NOT NULL
    AND (collections.rule ->> 'availability' IS NULL OR collections.rule ->> 'availability' IN (OLD.availability, NEW.availability)) AND (collections.rule ->> 'brand' IS NULL OR collections.rule ->> 'brand' IN (OLD.brand, NEW.brand)) AND (collections.rule ->> 'product_type' IS NULL OR collections.rule ->> 'product_type' IN (OLD.product_type, NEW.product_type)) AND (collections.rule ->> 'label' IS NULL OR EXISTS (SELECT 1 FROM json_each(OLD.labels) AS own WHERE own.value = collections.rule ->> 'label') OR EXISTS (SELECT 1 FROM json_each(NEW.labels) AS own WHERE own.value = collections.rule ->> 'label'))
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
--> statement-breakpoint
DROP TRIGGER `page_redraws_of_gone_product`;
--> statement-breakpoint
CREATE TRIGGER `page_redraws_of_gone_product` BEFORE DELETE ON `products` BEGIN
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT page_id, OLD.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM page_products WHERE target_id = OLD.id
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT DISTINCT page_products.page_id, OLD.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM collection_products CROSS JOIN page_products ON page_products.target_id = collection_products.collection_id
  WHERE collection_products.product_id = OLD.id
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT DISTINCT page_products.page_id, OLD.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM collections INDEXED BY collections_rules CROSS JOIN page_products ON page_products.target_id = collections.id
  WHERE collections.workspace_id = OLD.workspace_id AND collections.rule IS NOT NULL
    AND (collections.rule ->> 'availability' IS NULL OR collections.rule ->> 'availability' IN (OLD.availability)) AND (collections.rule ->> 'brand' IS NULL OR collections.rule ->> 'brand' IN (OLD.brand)) AND (collections.rule ->> 'product_type' IS NULL OR collections.rule ->> 'product_type' IN (OLD.product_type)) AND (collections.rule ->> 'label' IS NULL OR EXISTS (SELECT 1 FROM json_each(OLD.labels) AS own WHERE own.value = collections.rule ->> 'label'))
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
--> statement-breakpoint
DROP TRIGGER `page_redraws_of_collection`;
--> statement-breakpoint
CREATE TRIGGER `page_redraws_of_collection` AFTER UPDATE OF `revision` ON `collections` BEGIN
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT page_id, NEW.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM page_products WHERE target_id = NEW.id
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
--> statement-breakpoint
DROP TRIGGER `page_redraws_of_gone_collection`;
--> statement-breakpoint
CREATE TRIGGER `page_redraws_of_gone_collection` AFTER DELETE ON `collections` BEGIN
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT page_id, OLD.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM page_products WHERE target_id = OLD.id
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
