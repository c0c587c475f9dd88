-- Whose submissions are whose, kept by triggers: see submissions.table.ts.
CREATE TRIGGER `submission_emails_made` AFTER INSERT ON `submissions` WHEN NEW.emails <> '[]' BEGIN
  INSERT INTO submission_emails (workspace_id, email, submission_id)
  SELECT NEW.workspace_id, value, NEW.id FROM json_each(NEW.emails) WHERE true ON CONFLICT DO NOTHING;
END;
--> statement-breakpoint
CREATE TRIGGER `submission_emails_gone` AFTER DELETE ON `submissions` WHEN OLD.emails <> '[]' BEGIN
  DELETE FROM submission_emails WHERE workspace_id = OLD.workspace_id AND submission_id = OLD.id
    AND email IN (SELECT value FROM json_each(OLD.emails));
END;
--> statement-breakpoint
-- What a form has taken. An accepted one that is deleted gives no place back; one that is spam does.
CREATE TRIGGER `form_counts_made` AFTER INSERT ON `submissions` WHEN NEW.status <> 'held' BEGIN
  INSERT INTO form_counts (block_id, accepted, spam)
  VALUES (NEW.block_id, NEW.status = 'accepted', NEW.status = 'spam')
  ON CONFLICT DO UPDATE SET accepted = accepted + excluded.accepted, spam = spam + excluded.spam;
END;
--> statement-breakpoint
CREATE TRIGGER `form_counts_moved` AFTER UPDATE OF `status` ON `submissions` WHEN OLD.status <> NEW.status BEGIN
  INSERT INTO form_counts (block_id, accepted, spam) VALUES (NEW.block_id, 0, 0) ON CONFLICT DO NOTHING;
  UPDATE form_counts SET accepted = max(accepted + (NEW.status = 'accepted') - (OLD.status = 'accepted'), 0),
    spam = max(spam + (NEW.status = 'spam') - (OLD.status = 'spam'), 0) WHERE block_id = NEW.block_id;
END;
--> statement-breakpoint
CREATE TRIGGER `form_counts_spam_gone` AFTER DELETE ON `submissions` WHEN OLD.status = 'spam' BEGIN
  UPDATE form_counts SET spam = max(spam - 1, 0) WHERE block_id = OLD.block_id;
END;
--> statement-breakpoint
CREATE TRIGGER `form_counts_gone` AFTER DELETE ON `page_blocks` WHEN OLD.type = 'form' BEGIN
  DELETE FROM form_counts WHERE block_id = OLD.id;
END;
--> statement-breakpoint
-- What a submission takes, with its twelve indexes and the emails found by it: see usage.table.ts.
ALTER TABLE `submissions` ADD COLUMN `bytes` integer GENERATED ALWAYS AS (1800 + length(CAST(answers AS BLOB)) + length(CAST(fields AS BLOB)) + length(CAST(consents AS BLOB)) + length(CAST(utm AS BLOB)) + length(CAST(coalesce(contact_rule, '') AS BLOB)) + length(CAST(coalesce(referrer_host, '') AS BLOB)) + 5 * length(CAST(emails AS BLOB))) VIRTUAL;
--> statement-breakpoint
CREATE TRIGGER `usage_submissions_made` AFTER INSERT ON `submissions` BEGIN
  UPDATE workspace_usage SET stored_bytes = stored_bytes + NEW.bytes, other_bytes = other_bytes + NEW.bytes WHERE id = NEW.workspace_id;
  SELECT RAISE(ABORT, 'storage_full') FROM workspace_usage AS used CROSS JOIN workspaces ON workspaces.id = used.id CROSS JOIN plan_limits ON plan_limits.plan = workspaces.plan WHERE used.id = NEW.workspace_id AND used.stored_bytes > plan_limits.stored_bytes;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_submissions_gone` AFTER DELETE ON `submissions` BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes - OLD.bytes, 0), other_bytes = max(other_bytes - OLD.bytes, 0) WHERE id = OLD.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER `usage_submissions_changed` AFTER UPDATE ON `submissions` WHEN NEW.bytes <> OLD.bytes BEGIN
  UPDATE workspace_usage SET stored_bytes = max(stored_bytes + NEW.bytes - OLD.bytes, 0), other_bytes = max(other_bytes + NEW.bytes - OLD.bytes, 0) WHERE id = NEW.workspace_id;
END;
