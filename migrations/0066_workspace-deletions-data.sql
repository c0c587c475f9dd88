-- A workspace that is being deleted stays suspended, also where code of before, which knows of no deletion,
-- is told to make it active: it is refused.
CREATE TRIGGER `workspace_stays_suspended` BEFORE UPDATE OF `status` ON `workspaces` WHEN NEW.status <> 'suspended' AND EXISTS (SELECT 1 FROM workspace_deletions WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'workspace_deleted');
END;
