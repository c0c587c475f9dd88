-- When a form becomes full, or has a place again, its published page is drawn anew. By the published limit: the
-- draft's may be another. What is sent after that is refused and changes no count, so it asks for nothing.
CREATE TRIGGER `page_redraws_of_new_full_form` AFTER INSERT ON `form_counts` WHEN NEW.accepted > 0 BEGIN
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT pages.id, pages.workspace_id, NULL, unixepoch() * 1000 - 5000
  FROM page_blocks CROSS JOIN pages ON pages.id = page_blocks.page_id
    CROSS JOIN page_versions ON page_versions.page_id = pages.id AND page_versions.number = pages.published_version
    CROSS JOIN json_each(page_versions.document, '$.blocks') AS block
  WHERE page_blocks.id = NEW.block_id AND instr(page_versions.document, '"limit"') > 0 AND block.value ->> 'id' = NEW.block_id AND block.value ->> '$.enabled'
    AND block.value ->> '$.settings.limit' <= NEW.accepted
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `page_redraws_of_full_form` AFTER UPDATE OF `accepted` ON `form_counts` WHEN OLD.accepted <> NEW.accepted BEGIN
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT pages.id, pages.workspace_id, NULL, unixepoch() * 1000 - 5000
  FROM page_blocks CROSS JOIN pages ON pages.id = page_blocks.page_id
    CROSS JOIN page_versions ON page_versions.page_id = pages.id AND page_versions.number = pages.published_version
    CROSS JOIN json_each(page_versions.document, '$.blocks') AS block
  WHERE page_blocks.id = NEW.block_id AND instr(page_versions.document, '"limit"') > 0 AND block.value ->> 'id' = NEW.block_id AND block.value ->> '$.enabled'
    AND block.value ->> '$.settings.limit' > min(OLD.accepted, NEW.accepted)
    AND block.value ->> '$.settings.limit' <= max(OLD.accepted, NEW.accepted)
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
