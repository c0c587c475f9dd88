-- Which links use a pixel, kept by triggers: see link-pixels.table.ts.
INSERT INTO link_pixels (pixel_id, link_id)
SELECT DISTINCT chosen.value, links.id
FROM links, json_each(CASE WHEN json_valid(links.pixels) THEN links.pixels ELSE '[]' END) AS chosen
WHERE links.pixels <> '[]' AND chosen.type = 'text';
--> statement-breakpoint
CREATE TRIGGER `link_pixels_made` AFTER INSERT ON `links` WHEN NEW.pixels <> '[]' BEGIN
  INSERT INTO link_pixels (pixel_id, link_id)
  SELECT value, NEW.id FROM json_each(CASE WHEN json_valid(NEW.pixels) THEN NEW.pixels ELSE '[]' END)
  WHERE type = 'text' ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `link_pixels_changed` AFTER UPDATE OF `pixels` ON `links` WHEN NEW.pixels <> OLD.pixels BEGIN
  DELETE FROM link_pixels WHERE link_id = OLD.id
    AND pixel_id IN (SELECT value FROM json_each(CASE WHEN json_valid(OLD.pixels) THEN OLD.pixels ELSE '[]' END) WHERE type = 'text')
    AND pixel_id NOT IN (SELECT value FROM json_each(CASE WHEN json_valid(NEW.pixels) THEN NEW.pixels ELSE '[]' END) WHERE type = 'text');
  INSERT INTO link_pixels (pixel_id, link_id)
  SELECT value, NEW.id FROM json_each(CASE WHEN json_valid(NEW.pixels) THEN NEW.pixels ELSE '[]' END)
  WHERE type = 'text' ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `link_pixels_gone` AFTER DELETE ON `links` WHEN OLD.pixels <> '[]' BEGIN
  DELETE FROM link_pixels WHERE link_id = OLD.id
    AND pixel_id IN (SELECT value FROM json_each(CASE WHEN json_valid(OLD.pixels) THEN OLD.pixels ELSE '[]' END) WHERE type = 'text');
END;
--> statement-breakpoint
-- One row of the log for a change of a pixel, however many links use it.
DROP TRIGGER `pixel_changed_for_visitors`;
--> statement-breakpoint
CREATE TRIGGER `pixel_changed_for_visitors` AFTER UPDATE OF `id`, `workspace_id`, `provider`, `tag`, `enabled`, `consent`, `access_token`, `deleted_at` ON `pixels`
WHEN ((OLD.enabled = 1 AND OLD.deleted_at IS NULL) OR (NEW.enabled = 1 AND NEW.deleted_at IS NULL))
  AND (OLD.id, OLD.workspace_id, OLD.provider, OLD.tag, OLD.enabled, OLD.consent, OLD.access_token IS NULL, OLD.deleted_at IS NULL)
    <> (NEW.id, NEW.workspace_id, NEW.provider, NEW.tag, NEW.enabled, NEW.consent, NEW.access_token IS NULL, NEW.deleted_at IS NULL)
BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', NEW.workspace_id);
  INSERT INTO address_changes (scope, name) SELECT 'workspace', OLD.workspace_id WHERE OLD.workspace_id <> NEW.workspace_id;
END;
--> statement-breakpoint
DROP TRIGGER `pixel_gone_for_visitors`;
--> statement-breakpoint
CREATE TRIGGER `pixel_gone_for_visitors` AFTER DELETE ON `pixels` WHEN OLD.enabled = 1 AND OLD.deleted_at IS NULL BEGIN
  INSERT INTO address_changes (scope, name) VALUES ('workspace', OLD.workspace_id);
END;
--> statement-breakpoint
-- That a link lost a pixel which is deleted already is no news: many links lose it.
DROP TRIGGER `address_changed`;
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
  FROM (SELECT '' AS host WHERE OLD.place = '' UNION ALL SELECT host FROM domains WHERE id = OLD.place);
  INSERT INTO address_changes (scope, name)
  SELECT 'address', host || '/' || NEW.slug_key
  FROM (SELECT '' AS host WHERE NEW.place = '' UNION ALL SELECT host FROM domains WHERE id = NEW.place) WHERE (OLD.place, OLD.slug_key) <> (NEW.place, NEW.slug_key);
END;
--> statement-breakpoint
-- What a pixel takes of the workspace's room. The recount adds pixels up where it ends a workspace.
ALTER TABLE `pixels` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (450 + length(CAST(coalesce(name, '') AS BLOB)) + length(CAST(coalesce(tag, '') AS BLOB)) + coalesce(length(access_token), 0)) VIRTUAL;
--> statement-breakpoint
CREATE TRIGGER `usage_pixels_made` AFTER INSERT ON `pixels` BEGIN
  UPDATE workspace_usage SET stored_bytes = stored_bytes + NEW.bytes WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_pixels_gone` AFTER DELETE ON `pixels` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes - OLD.bytes, 0) WHERE id = OLD.workspace_id AND batch_bytes IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_pixels_changed` AFTER UPDATE OF `name`, `tag`, `access_token` ON `pixels` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.workspace_id AND batch_bytes IS NULL;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.batch_bytes IS NULL AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
