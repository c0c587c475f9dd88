-- A label that is deleted stands until it is taken from its last contact: nothing may name it anew.
-- The message is that of a foreign key, for which writers look already.
CREATE TRIGGER contact_tags_live BEFORE INSERT ON contact_tags
WHEN EXISTS (SELECT 1 FROM tags WHERE id = NEW.tag_id AND deleted_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed'); END;--> statement-breakpoint
CREATE TRIGGER contacts_live_stage_inserted BEFORE INSERT ON contacts
WHEN EXISTS (SELECT 1 FROM stages WHERE id = NEW.stage_id AND deleted_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed'); END;--> statement-breakpoint
CREATE TRIGGER contacts_live_stage_updated BEFORE UPDATE OF stage_id ON contacts
WHEN EXISTS (SELECT 1 FROM stages WHERE id = NEW.stage_id AND deleted_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed'); END;--> statement-breakpoint
CREATE TRIGGER segment_uses_live BEFORE INSERT ON segment_uses
WHEN EXISTS (SELECT 1 FROM tags WHERE id = NEW.tag_id AND deleted_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM stages WHERE id = NEW.stage_id AND deleted_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed'); END;
