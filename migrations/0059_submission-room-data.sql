-- What strangers send with forms takes nine tenths of what the plan allows: the rest is the workspace's own.
DROP TRIGGER `usage_submissions_made`;
--> statement-breakpoint
CREATE TRIGGER `usage_submissions_made` AFTER INSERT ON `submissions` BEGIN
  UPDATE workspace_usage SET stored_bytes = stored_bytes + NEW.bytes, other_bytes = other_bytes + NEW.bytes WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes * 9 / 10;
END;
--> statement-breakpoint
-- A submission outlives its form, and counts for it when it changes: what is counted goes with the last one.
CREATE TRIGGER `form_counts_outlived` AFTER DELETE ON `submissions`
WHEN NOT EXISTS (SELECT 1 FROM page_blocks WHERE page_blocks.id = OLD.block_id) AND NOT EXISTS (SELECT 1 FROM submissions AS others WHERE others.block_id = OLD.block_id) BEGIN
  DELETE FROM form_counts WHERE block_id = OLD.block_id;
END;
--> statement-breakpoint
DELETE FROM `form_counts` WHERE NOT EXISTS (SELECT 1 FROM page_blocks WHERE page_blocks.id = form_counts.block_id) AND NOT EXISTS (SELECT 1 FROM submissions WHERE submissions.block_id = form_counts.block_id);
