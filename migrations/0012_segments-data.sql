-- What was saved before counts were kept is counted by the next minute's job.
INSERT INTO segment_recounts (workspace_id, due_at, rests_until, changed)
SELECT DISTINCT workspace_id, 0, 0, 1 FROM segments;
--> statement-breakpoint
CREATE TRIGGER contacts_inserted AFTER INSERT ON contacts BEGIN
  UPDATE segment_recounts SET changed = 1, due_at = min(coalesce(due_at, rests_until), rests_until)
  WHERE workspace_id = NEW.workspace_id AND changed = 0;
END;
--> statement-breakpoint
CREATE TRIGGER contacts_updated AFTER UPDATE ON contacts BEGIN
  UPDATE segment_recounts SET changed = 1, due_at = min(coalesce(due_at, rests_until), rests_until)
  WHERE workspace_id = NEW.workspace_id AND changed = 0;
END;
--> statement-breakpoint
CREATE TRIGGER contacts_deleted AFTER DELETE ON contacts BEGIN
  UPDATE segment_recounts SET changed = 1, due_at = min(coalesce(due_at, rests_until), rests_until)
  WHERE workspace_id = OLD.workspace_id AND changed = 0;
END;
--> statement-breakpoint
CREATE TRIGGER segments_inserted AFTER INSERT ON segments BEGIN
  INSERT INTO segment_recounts (workspace_id, due_at, rests_until, changed)
  VALUES (NEW.workspace_id, 0, 0, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET changed = 1, due_at = min(coalesce(due_at, rests_until), rests_until)
  WHERE changed = 0;
END;
--> statement-breakpoint
-- A recount leaves the revision as it is.
CREATE TRIGGER segments_updated AFTER UPDATE ON segments WHEN NEW.revision <> OLD.revision BEGIN
  INSERT INTO segment_recounts (workspace_id, due_at, rests_until, changed)
  VALUES (NEW.workspace_id, 0, 0, 1)
  ON CONFLICT (workspace_id) DO UPDATE SET changed = 1, due_at = min(coalesce(due_at, rests_until), rests_until)
  WHERE changed = 0;
END;
