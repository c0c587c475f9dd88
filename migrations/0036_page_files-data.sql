-- Which files pages use, kept by triggers: of blocks what is under the key `file`. 350: what a row takes
-- with its index, of the room for all that is stored.
INSERT INTO page_files (page_id, holder, file_id)
SELECT DISTINCT page_blocks.page_id, page_blocks.id, files.id
FROM page_blocks CROSS JOIN json_tree(page_blocks.settings) AS named
  CROSS JOIN files ON files.id = named.value AND files.workspace_id = page_blocks.workspace_id
WHERE named.key = 'file' AND named.type = 'text' AND page_blocks.deleted_at IS NULL;
--> statement-breakpoint
INSERT INTO page_files (page_id, holder, file_id)
SELECT DISTINCT pages.id, 'page', files.id
FROM pages CROSS JOIN json_each(json_array(pages.profile ->> 'avatar', pages.seo ->> 'image', pages.theme ->> '$.background.file')) AS named
  CROSS JOIN files ON files.id = named.value AND files.workspace_id = pages.workspace_id;
--> statement-breakpoint
INSERT INTO page_files (page_id, holder, file_id)
SELECT DISTINCT pages.id, 'published', files.id
FROM pages CROSS JOIN page_versions ON page_versions.page_id = pages.id AND page_versions.number = pages.published_version
  CROSS JOIN json_tree(page_versions.document) AS named
  CROSS JOIN files ON files.id = named.value AND files.workspace_id = pages.workspace_id
WHERE named.key IN ('file', 'avatar', 'image') AND named.type = 'text';
--> statement-breakpoint
-- A full workspace's pages are counted too: without the trigger, which refuses growth.
DROP TRIGGER `usage_pages_changed`;
--> statement-breakpoint
UPDATE pages SET kept_bytes = kept_bytes + 350 * (SELECT count(*) FROM page_files WHERE page_id = pages.id)
WHERE id IN (SELECT page_id FROM page_files);
--> statement-breakpoint
UPDATE workspace_usage SET stored_bytes = stored_bytes + 350 * used.files, other_bytes = other_bytes + 350 * used.files
FROM (SELECT pages.workspace_id AS id, count(*) AS files FROM page_files CROSS JOIN pages ON pages.id = page_files.page_id GROUP BY pages.workspace_id) AS used
WHERE workspace_usage.id = used.id;
--> statement-breakpoint
CREATE TRIGGER `usage_pages_changed` AFTER UPDATE ON `pages` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0), other_bytes = max(other_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes AND NEW.bytes > OLD.bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `page_files_of_block` AFTER INSERT ON `page_blocks` WHEN NEW.deleted_at IS NULL AND instr(NEW.settings, '"file"') > 0 BEGIN
  INSERT INTO page_files (page_id, holder, file_id)
  SELECT DISTINCT NEW.page_id, NEW.id, files.id FROM json_tree(NEW.settings) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id
  WHERE named.key = 'file' AND named.type = 'text';
  UPDATE pages SET kept_bytes = kept_bytes + 350 * (SELECT count(*) FROM page_files WHERE page_id = NEW.page_id AND holder = NEW.id)
  WHERE id = NEW.page_id AND EXISTS (SELECT 1 FROM page_files WHERE page_id = NEW.page_id AND holder = NEW.id);
END;
--> statement-breakpoint
-- By one statement, of the difference: a full workspace takes pictures away and exchanges them.
CREATE TRIGGER `page_files_of_changed_block` AFTER UPDATE OF `settings`, `deleted_at` ON `page_blocks`
WHEN (OLD.settings, OLD.deleted_at IS NULL) <> (NEW.settings, NEW.deleted_at IS NULL) AND instr(OLD.settings || NEW.settings, '"file"') > 0 BEGIN
  UPDATE pages SET kept_bytes = max(kept_bytes + 350 * ((SELECT count(DISTINCT files.id) FROM json_tree(NEW.settings) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id WHERE named.key = 'file' AND named.type = 'text' AND NEW.deleted_at IS NULL)
    - (SELECT count(*) FROM page_files WHERE page_id = OLD.page_id AND holder = OLD.id)), 0)
  WHERE id = OLD.page_id AND (SELECT count(DISTINCT files.id) FROM json_tree(NEW.settings) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id WHERE named.key = 'file' AND named.type = 'text' AND NEW.deleted_at IS NULL)
    <> (SELECT count(*) FROM page_files WHERE page_id = OLD.page_id AND holder = OLD.id);
  DELETE FROM page_files WHERE page_id = OLD.page_id AND holder = OLD.id;
  INSERT INTO page_files (page_id, holder, file_id)
  SELECT DISTINCT NEW.page_id, NEW.id, files.id FROM json_tree(NEW.settings) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id
  WHERE named.key = 'file' AND named.type = 'text' AND NEW.deleted_at IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `page_files_of_gone_block` AFTER DELETE ON `page_blocks` WHEN OLD.deleted_at IS NULL AND instr(OLD.settings, '"file"') > 0 BEGIN
  UPDATE pages SET kept_bytes = max(kept_bytes - 350 * (SELECT count(*) FROM page_files WHERE page_id = OLD.page_id AND holder = OLD.id), 0)
  WHERE id = OLD.page_id AND EXISTS (SELECT 1 FROM page_files WHERE page_id = OLD.page_id AND holder = OLD.id);
  DELETE FROM page_files WHERE page_id = OLD.page_id AND holder = OLD.id;
END;
--> statement-breakpoint
CREATE TRIGGER `page_files_of_page` AFTER INSERT ON `pages` WHEN json_array(NEW.profile ->> 'avatar', NEW.seo ->> 'image', NEW.theme ->> '$.background.file') <> '[null,null,null]' BEGIN
  INSERT INTO page_files (page_id, holder, file_id)
  SELECT DISTINCT NEW.id, 'page', files.id FROM json_each(json_array(NEW.profile ->> 'avatar', NEW.seo ->> 'image', NEW.theme ->> '$.background.file')) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id;
  UPDATE pages SET kept_bytes = kept_bytes + 350 * (SELECT count(*) FROM page_files WHERE page_id = NEW.id AND holder = 'page')
  WHERE id = NEW.id AND EXISTS (SELECT 1 FROM page_files WHERE page_id = NEW.id AND holder = 'page');
END;
--> statement-breakpoint
CREATE TRIGGER `page_files_of_changed_page` AFTER UPDATE OF `profile`, `seo`, `theme` ON `pages`
WHEN json_array(OLD.profile ->> 'avatar', OLD.seo ->> 'image', OLD.theme ->> '$.background.file') <> json_array(NEW.profile ->> 'avatar', NEW.seo ->> 'image', NEW.theme ->> '$.background.file') BEGIN
  UPDATE pages SET kept_bytes = max(kept_bytes + 350 * ((SELECT count(DISTINCT files.id) FROM json_each(json_array(NEW.profile ->> 'avatar', NEW.seo ->> 'image', NEW.theme ->> '$.background.file')) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id)
    - (SELECT count(*) FROM page_files WHERE page_id = OLD.id AND holder = 'page')), 0)
  WHERE id = OLD.id AND (SELECT count(DISTINCT files.id) FROM json_each(json_array(NEW.profile ->> 'avatar', NEW.seo ->> 'image', NEW.theme ->> '$.background.file')) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id)
    <> (SELECT count(*) FROM page_files WHERE page_id = OLD.id AND holder = 'page');
  DELETE FROM page_files WHERE page_id = OLD.id AND holder = 'page';
  INSERT INTO page_files (page_id, holder, file_id)
  SELECT DISTINCT NEW.id, 'page', files.id FROM json_each(json_array(NEW.profile ->> 'avatar', NEW.seo ->> 'image', NEW.theme ->> '$.background.file')) AS named CROSS JOIN files ON files.id = named.value AND files.workspace_id = NEW.workspace_id;
END;
--> statement-breakpoint
-- A draft is published as it is, in one batch: what it uses is what visitors get.
CREATE TRIGGER `page_files_published` AFTER UPDATE OF `published_version` ON `pages` WHEN OLD.published_version IS NOT NEW.published_version BEGIN
  UPDATE pages SET kept_bytes = max(kept_bytes + 350 * ((SELECT count(DISTINCT file_id) FROM page_files WHERE page_id = NEW.id AND holder <> 'published' AND NEW.published_version IS NOT NULL)
    - (SELECT count(*) FROM page_files WHERE page_id = OLD.id AND holder = 'published')), 0)
  WHERE id = OLD.id AND (SELECT count(DISTINCT file_id) FROM page_files WHERE page_id = NEW.id AND holder <> 'published' AND NEW.published_version IS NOT NULL)
    <> (SELECT count(*) FROM page_files WHERE page_id = OLD.id AND holder = 'published');
  DELETE FROM page_files WHERE page_id = OLD.id AND holder = 'published';
  INSERT INTO page_files (page_id, holder, file_id)
  SELECT DISTINCT NEW.id, 'published', file_id FROM page_files WHERE page_id = NEW.id AND NEW.published_version IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `page_files_gone` AFTER DELETE ON `pages` BEGIN
  DELETE FROM page_files WHERE page_id = OLD.id;
END;
