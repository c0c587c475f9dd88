-- How many files each plan has room for, and what keeps count of them: see usage.table.ts.
UPDATE `plan_limits` SET `file_bytes` = 1073741824, `files` = 10000 WHERE `plan` = 'pro';
--> statement-breakpoint
UPDATE `plan_limits` SET `file_bytes` = 21474836480, `files` = 100000 WHERE `plan` = 'business';
--> statement-breakpoint
-- 500: what a row takes with its indexes, of the room for all that is stored.
CREATE TRIGGER `usage_files_made` AFTER INSERT ON `files` BEGIN
  UPDATE workspace_usage SET files = files + 1, file_bytes = file_bytes + NEW.bytes, stored_bytes = stored_bytes + 500, other_bytes = other_bytes + 500 WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND (used.stored_bytes > plan_limits.stored_bytes OR used.file_bytes > plan_limits.file_bytes OR used.files > plan_limits.files);
END;
--> statement-breakpoint
CREATE TRIGGER `usage_files_gone` AFTER DELETE ON `files` BEGIN
  UPDATE workspace_usage SET files = max(files - 1, 0), file_bytes = max(file_bytes - OLD.bytes, 0), stored_bytes = max(stored_bytes - 500, 0), other_bytes = max(other_bytes - 500, 0) WHERE id = OLD.workspace_id;
END;
